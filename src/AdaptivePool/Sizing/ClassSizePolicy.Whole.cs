using AdaptivePool.Control;

namespace AdaptivePool.Sizing;

/// <content>
/// A controller that decides whole: neither ramp nor lead. What protects the class and the machine speaks before it, as before everybody: hogs, loans,
/// stuck workers, bounds.
/// </content>
internal sealed partial class ClassSizePolicy
{
    private readonly ControllerFeed? _feed;
    private DecisionReason _told = DecisionReason.Initial;

    private ClassDecision DecideWhole(ControllerFeed feed, in ClassObservation c, in MachineObservation m)
    {
        if (_pending is { } reason)
        {
            _pending = null;
            feed.Put(_limit);
            _loan.Track(c);
            return Say(c, m, new(_limit, reason));
        }

        _hogs.Observe(c, m);
        LoanStep step = _loan.Observe(c, m, _limit, _kept.Size, cold: false, mayGrow: !_hogs.Active);
        if (step.Action == LoanAction.Lend)
        {
            feed.Interrupt();
            return Say(c, m, new(step.Limit, DecisionReason.StallLoan)) with { BeginEpisode = step.BeginEpisode };
        }

        if (step.Action is LoanAction.Repay or LoanAction.Verify)
        {
            return Say(c, m, new(feed.Size, DecisionReason.LoanRepaid));
        }

        if (_loan.Active)
        {
            return Quiet();
        }

        int hogs = _hogs.Lasting ? _settings.HogLimit : Math.Max(_settings.HogLimit, feed.Size);
        int most = _hogs.Active ? Math.Clamp(hogs, _settings.MinLimit, _settings.MaxLimit) : _settings.MaxLimit;
        if (feed.Observe(c, m, _settings.MinLimit, most, _settings.Cores) is not { } told)
        {
            return Quiet();
        }

        if (!told.IsTrial)
        {
            _kept.Prove(told.Target, told.Trace.ThroughputPerSecond);
        }

        bool isKnown = told.Target == _limit && (told.Reason == DecisionReason.Hold || told.Reason == _told);
        _told = told.Reason;
        return isKnown ? Quiet() : Tell(c, told);
    }

    // In the controller's own words: what a state or a refusal was decided on is in its trace.
    private ClassDecision Tell(in ClassObservation c, in SizeDecision told)
    {
        int from = _limit;
        _unchangedSince = c.Now;
        _limit = told.Target;
        ControllerTrace trace = told.Trace with { At = c.Now, ClassName = _settings.Name, From = WithPlaces(from), To = WithPlaces(_limit) };
        return new(_limit, told.Reason, BeginEpisode: false, trace);
    }
}
