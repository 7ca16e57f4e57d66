namespace AdaptivePool.Dispatch;

/// <summary>
/// How long to wait before a thread is asked for again after the system refused one: memory and process slots come back in seconds, not in microseconds.
/// </summary>
internal static class BackOffRule
{
    private const int FirstMilliseconds = 10;
    private const int LongestMilliseconds = 1_000;

    /// <summary>Refusals after which the wait grows no more.</summary>
    private const int MostDoublings = 7;

    /// <summary>The wait.</summary>
    /// <param name="refusals">Refusals in a row, one or more.</param>
    public static TimeSpan Wait(int refusals)
    {
        int doublings = Math.Clamp(refusals - 1, 0, MostDoublings);
        return TimeSpan.FromMilliseconds(Math.Min(FirstMilliseconds << doublings, LongestMilliseconds));
    }
}
