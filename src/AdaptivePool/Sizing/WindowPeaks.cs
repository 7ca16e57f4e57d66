namespace AdaptivePool.Sizing;

/// <summary>
/// What only a look at each tick shows of a window: the most clients, how long one stays away between two of its requests (by Little's law of the places that
/// stand empty: of as many as were in use at most, those that are not), and the longest wait.
/// </summary>
internal sealed class WindowPeaks
{
    // A smaller share that stands empty is the chance of arrivals and of looks, and no gap between requests.
    private const double LeastEmptyShare = 0.2;

    private int _there;
    private double _seconds;

    /// <summary>The most that ran and waited at once, or had a request there, since the window was opened.</summary>
    public int Connections { get; private set; }

    /// <summary>How long the oldest item was seen to have waited at most.</summary>
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
