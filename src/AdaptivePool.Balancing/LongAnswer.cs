namespace AdaptivePool.Balancing;

/// <summary>
/// Bounds the time of a long response. Long polls, exports and reports take a thousand times as long as other responses of a backend: a single one would make
/// the backend seem as much slower than the others. Therefore no response counts as more than a long one. Where more than a fourth of all responses are so
/// long, the mean still reaches them.
/// </summary>
internal static class LongAnswer
{
    /// <summary>A response takes this many times the mean now and then.</summary>
    public const double Times = 4;

    /// <summary>Returns the time with which a response counts in the mean.</summary>
    /// <param name="time">The time of the response.</param>
    /// <param name="mean">The mean of earlier responses; zero when not known.</param>
    public static TimeSpan Bound(TimeSpan time, TimeSpan mean) => mean > TimeSpan.Zero && time > Times * mean ? Times * mean : time;
}
