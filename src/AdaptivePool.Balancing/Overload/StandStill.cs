namespace AdaptivePool.Balancing.Overload;

/// <summary>Whether a process stood still between two looks: it was stopped, or its machine was suspended. Its clock went on, and its counts did not.</summary>
internal static class StandStill
{
    /// <summary>
    /// So many times as long as a rate is counted is no look that came late. Less than that makes a rate smaller than it is by no more than this, and what is
    /// told by it recovers within seconds; a machine that is only busy must not be left without a rate.
    /// </summary>
    private const double Periods = 4;

    /// <param name="gap">Time between the looks.</param>
    /// <param name="period">How long a rate is counted.</param>
    public static bool IsIn(TimeSpan gap, TimeSpan period) => gap > period * Periods;
}
