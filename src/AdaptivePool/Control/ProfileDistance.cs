namespace AdaptivePool.Control;

/// <summary>
/// How different two profiles are: the largest difference of a feature's logarithm, times a weight. The largest and not a mean, because a single feature that changed makes it other work (io becomes cpu),
/// whatever the other six say.
/// </summary>
internal static class ProfileDistance
{
    // How much the best size depends on the feature against how much the feature moves on its own. Cores decide: half of them is another machine. Of clients and gaps only the order of magnitude matters while
    // there are enough; starting a thread takes 45 us or a millisecond on one and the same machine.
    private const double CoresWeight = 4;
    private const double RoundWeight = 1;
    private const double ClientsWeight = 0.5;
    private const double ThreadWeight = 0.1;

    // A wait or a burst this short is all overhead: below it a ratio says nothing.
    private const double ShortestSeconds = 20e-6;

    /// <summary>The distance; infinite when no duration is known in both.</summary>
    /// <param name="a">One profile.</param>
    /// <param name="b">The other.</param>
    public static double Between(in WorkloadProfile a, in WorkloadProfile b)
    {
        double active = OfDurations(a.ActiveSeconds, b.ActiveSeconds);
        double waiting = OfDurations(a.WaitingSeconds, b.WaitingSeconds);
        if (active < 0 && waiting < 0)
        {
            return double.PositiveInfinity;
        }

        double distance = Math.Max(Math.Max(0, RoundWeight * active), RoundWeight * waiting);
        distance = Math.Max(distance, RoundWeight * Of(a.ActiveRounds, b.ActiveRounds));
        distance = Math.Max(distance, CoresWeight * Of(a.Cores, b.Cores));
        distance = Math.Max(distance, ClientsWeight * Of(a.Connections, b.Connections));
        distance = Math.Max(distance, ClientsWeight * OfDurations(a.RequestGapSeconds, b.RequestGapSeconds));
        return Math.Max(distance, ThreadWeight * OfDurations(a.ThreadCreationSeconds, b.ThreadCreationSeconds));
    }

    // Negative when one of them is not known.
    private static double Of(double a, double b) => WorkloadProfile.IsKnown(a) && WorkloadProfile.IsKnown(b) ? Math.Abs(Math.Log(a / b)) : -1;

    private static double OfDurations(double a, double b) =>
        WorkloadProfile.IsKnown(a) && WorkloadProfile.IsKnown(b) ? Of(Math.Max(a, ShortestSeconds), Math.Max(b, ShortestSeconds)) : -1;
}
