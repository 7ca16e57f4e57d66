using AdaptivePool.Control;

namespace AdaptivePool.Sizing;

/// <content>
/// A controller that decides whole: neither ramp nor lead. What protects the class and the machine speaks before it, as before all: what is lent,
/// hogs, bounds.
/// </content>
internal sealed partial class ClassSizePolicy
{
    private readonly ControllerFeed? _feed;

    private ClassDecision DecideWhole(ControllerFeed feed, in ClassObservation c, in MachineObservation m)
    {
        int hogs = _kind.BurnsLasting(c.Now) ? Settings.HogLimit : Math.Max(Settings.HogLimit, feed.Size);
        int most = _kind.Burns ? Math.Clamp(hogs, Settings.MinLimit, Settings.MaxLimit) : Settings.MaxLimit;
        if (feed.Observe(c, m, Settings.MinLimit, most, Settings.Cores) is not { } told)
        {
            return Quiet();
        }

        if (!told.IsTrial)
        {
            Kept.Prove(told.Target, told.Trace.ThroughputPerSecond);
        }

        bool isKnown = told.Target == Kept.Decided && (told.Reason == DecisionReason.Hold || told.Reason == feed.Told);
        feed.Told = told.Reason;
        return isKnown ? Quiet() : Tell(c, told);
    }

    // In the controller's own words: what a state or a refusal was decided on is in its trace.
    private ClassDecision Tell(in ClassObservation c, in SizeDecision told)
    {
        _unchangedSince = c.Now;
        Kept.Decided = told.Target;
        return new(Kept.Decided, told.Reason, told.Trace with { At = c.Now, ClassName = Settings.Name });
    }
}
