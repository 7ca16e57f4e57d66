namespace AdaptivePool.Sizing;

/// <summary>
/// Values of a window that only a look at each tick shows: the most clients, how long a client stays away between two of its requests, and the longest wait.
/// The time away follows from Little's law for the places that stand empty: the highest number of places in use, less those in use now.
/// </summary>
internal sealed class WindowPeaks
{
    // A smaller empty share is due to chance in arrivals and looks, and is no gap between requests.
    private const double LeastEmptyShare = 0.2;

    private int _there;
    private double _seconds;

    /// <summary>The most items that ran and waited at once, or the most requests of the class, since the window was opened.</summary>
    public int Connections { get; private set; }

    /// <summary>The longest time for which the oldest item was seen to wait.</summary>
    public TimeSpan LongestWait { get; private set; }

    /// <summary>Opens a window.</summary>
    /// <param name="there">Clients that have something there.</param>
    public void Open(int there) => (_there, _seconds, Connections, LongestWait) = (there, 0, there, TimeSpan.Zero);

    /// <summary>Takes one look.</summary>
    /// <param name="there">Clients that have something there.</param>
    /// <param name="oldestWait">How long the oldest item waits.</param>
    /// <param name="elapsed">Time since the look before, in seconds.</param>
    public void Observe(int there, TimeSpan oldestWait, double elapsed)
    {
        (_there, _seconds) = (there, _seconds + (_there * elapsed));
        Connections = Math.Max(Connections, there);
        LongestWait = LongestWait < oldestWait ? oldestWait : LongestWait;
    }

    /// <summary>Mean gap since the window was opened, in seconds; zero where it is not known.</summary>
    /// <param name="seconds">Length of the window, in seconds.</param>
    /// <param name="completions">Requests that ended in the window.</param>
    public double Gap(double seconds, double completions)
    {
        double places = Connections * seconds;
        double empty = places - _seconds;
        return completions > 0 && empty >= LeastEmptyShare * places ? empty / completions : 0;
    }
}
