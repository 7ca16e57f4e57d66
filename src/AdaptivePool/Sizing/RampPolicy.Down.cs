namespace AdaptivePool.Sizing;

/// <content>
/// The way down from a size that may be far above the best one. It goes down by quarters, and by halves where a quarter is refused. It starts from the
/// threads that are in use, and needs no queue.
/// </content>
internal sealed partial class RampPolicy
{
    // Sizes above this are far above the best size of any server. A step down from there is a quarter, and the first step needs no measurement.
    private const int FarAbove = 64;
    private const int FarStep = 4;
    private const int NearStep = 2;

    // Number of items that give a rate within about a third.
    private const int RoughItems = 6;

    // Where fewer items than these have ended, a size is slow to measure, and not only uneven.
    private const int FewItems = 40;

    // The time until the class shows what kind of work it does, and whether that is known.
    private static readonly TimeSpan s_kindIsKnown = TimeSpan.FromMilliseconds(150);

    // The share of the rate that a step down must keep. A rate read from a drain is too good, because the items that end there began among fewer or were of
    // another kind.
    private static readonly double s_keptBelow = Math.Log(0.95);
    private static readonly double s_keptOfDrain = Math.Log(0.9);

    // A size that a server does not need makes no caller better off. Workers that sleep need no server.
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

    // Items that end while the class leaves a size far above belong to the rate of that size.
    private void MeasureDrain(in ClassObservation c)
    {
        double seconds = (c.Now - _window.BegunAt).TotalSeconds;
        if (IsDown && double.IsNaN(kept.Rate) && c.Active <= Limit && seconds > 0)
        {
            kept.Remeasure((c.Completed - _window.CompletedAtBegin) / seconds);
        }
    }
}
