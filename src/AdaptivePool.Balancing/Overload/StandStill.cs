namespace AdaptivePool.Balancing.Overload;

/// <summary>Tells whether a process stood still between two looks: it was stopped, or its machine was suspended. Its clock continued, but its counts did
/// not.</summary>
internal static class StandStill
{
    /// <summary>
    /// A gap of this many times the period of a rate is not just a late look. A shorter gap makes a rate too small by this factor at most, and what is
    /// reported then recovers within seconds. A machine that is only busy must not be left without a rate.
    /// </summary>
    private const double Periods = 4;

    /// <param name="gap">Time between the looks.</param>
    /// <param name="period">The period over which a rate is counted.</param>
    public static bool IsIn(TimeSpan gap, TimeSpan period) => gap > period * Periods;
}
