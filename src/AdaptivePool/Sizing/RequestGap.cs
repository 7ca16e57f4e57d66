namespace AdaptivePool.Sizing;

/// <summary>
/// How long a client stays away between two of its requests, by Little's law of the places that stand empty: of as many as were in use at most, those that are
/// not.
/// </summary>
internal sealed class RequestGap
{
    // A smaller share that stands empty is the chance of arrivals and of looks, and no gap between requests.
    private const double LeastEmptyShare = 0.2;

    private int _there;
    private double _seconds;

    /// <summary>Opens a window.</summary>
    /// <param name="there">Clients that have something there.</param>
    public void Open(int there) => (_there, _seconds) = (there, 0);

    /// <summary>Takes one look.</summary>
    /// <param name="there">Clients that have something there.</param>
    /// <param name="elapsed">Time since the look before, in seconds.</param>
    public void Observe(int there, double elapsed) => (_there, _seconds) = (there, _seconds + (_there * elapsed));

    /// <summary>Mean gap since the window was opened, in seconds; zero where it is not known.</summary>
    /// <inheritdoc cref="Seconds"/>
    public double Mean(double connections, double seconds, double completions) => Seconds(connections, seconds, _seconds, completions);

    /// <summary>Mean gap, in seconds; zero where it is not known.</summary>
    /// <param name="connections">The most clients that had something there at once.</param>
    /// <param name="seconds">Length of the window, in seconds.</param>
    /// <param name="connectionSeconds">Clients that had something there, added up over the window, in seconds.</param>
    /// <param name="completions">Requests that ended in the window.</param>
    public static double Seconds(double connections, double seconds, double connectionSeconds, double completions)
    {
        double empty = (connections * seconds) - connectionSeconds;
        return completions > 0 && empty >= LeastEmptyShare * connections * seconds ? empty / completions : 0;
    }
}
