namespace AdaptivePool.Balancing;

/// <summary>
/// Which answer is a long one. Long polls, exports and reports take a thousand times as long as what else a backend answers: one alone would make it seem as
/// much slower than the others. So no answer counts as more than a long one; where more than a fourth of all are so long, the mean reaches them all the same.
/// </summary>
internal static class LongAnswer
{
    /// <summary>Answers take so many times their mean now and then.</summary>
    public const double Times = 4;

    /// <summary>What a time counts as beside those before.</summary>
    /// <param name="time">The time of an answer.</param>
    /// <param name="mean">The mean of those before; zero when not known.</param>
    public static TimeSpan Bound(TimeSpan time, TimeSpan mean) => mean > TimeSpan.Zero && time > Times * mean ? Times * mean : time;
}
