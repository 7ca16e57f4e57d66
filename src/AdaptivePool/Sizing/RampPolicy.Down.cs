namespace AdaptivePool.Sizing;

/// <content>
/// The way down from a size that may be far above the best one: by quarters, by a half where a quarter is refused, and from what is used, which no queue has
/// to show.
/// </content>
internal sealed partial class RampPolicy
{
    // Sizes above this are far above what any server likes best: a step down there is a quarter, and the first needs no measurement.
    private const int FarAbove = 64;
    private const int FarStep = 4;
    private const int NearStep = 2;

    // Items that give a rate within about a third.
    private const int RoughItems = 6;

    // Where fewer than these have ended a size is slow to measure, and not only uneven.
    private const int FewItems = 40;

    // Until it shows what kind of work it is, and whether it is known.
    private static readonly TimeSpan s_kindIsKnown = TimeSpan.FromMilliseconds(150);

    // What a step down must keep: a rate read from a drain flatters, because what ends there began among fewer or was of another kind.
    private static readonly double s_keptBelow = Math.Log(0.95);
    private static readonly double s_keptOfDrain = Math.Log(0.9);

    // Nobody is better off with a size that a server behind it does not need; who sleeps needs no server.
    private SizeProposal? StepDown(in ClassObservation c)
    {
        int used = Math.Max(1, Math.Min(kept.Size, c.Active));
        bool byQuarters = _stage.Down == Descent.ByQuarters;
        int step = byQuarters ? FarStep : NearStep;
        int lower = Math.Max(c.SmallSize, (used + step - 1) / step);
        double share = (double)lower / kept.Size;
        if (kind.MayHaveServer && lower < used && (byQuarters || cost.MayLookBelow(c.Now, share)))
        {
            return Propose(c, lower, DecisionReason.Ramp);
        }

        _stage = _stage with { Down = Descent.None };
        return null;
    }

    private bool IsFarAbove(in ClassObservation c) =>
        double.IsNaN(kept.Rate) && kind.MayHaveServer && Math.Min(kept.Size, c.Active) > FarAbove
        && c.Completed - _window.CompletedAtBegin >= RoughItems && c.Now - _window.BegunAt >= s_kindIsKnown;

    // What ends while a size far above is left, is what that size brings.
    private void MeasureDrain(in ClassObservation c)
    {
        double seconds = (c.Now - _window.BegunAt).TotalSeconds;
        if (IsDown && double.IsNaN(kept.Rate) && c.Active <= Limit && seconds > 0)
        {
            kept.Remeasure((c.Completed - _window.CompletedAtBegin) / seconds);
        }
    }
}
