using AdaptivePool.Control;

namespace AdaptivePool.Sizing;

/// <content>Keeps or refuses a size that was tried.</content>
internal sealed partial class RampPolicy
{
    // What keeps a size above the small ones that was refused before, when it is measured again. The connections it needs are open; a server serves fewer
    // threads worse with them (sizing study, section 5), and two measurements of one size differ by as much.
    private const double PaidGain = 0.05;

    // Threads beyond the knee of a class that waits, in square roots of the knee: N threads that wait for 99 % of their time keep the cores busy only on
    // average; square-root staffing (Halfin and Whitt 1981) keeps them busy nearly always, at a few threads more. And as a share of a small knee, at most.
    private const double StaffingFactor = 1.5;
    private const double MostStaffing = 0.15;

    private SizeProposal Judge(in ClassObservation c, in MachineObservation m, in GenerationResult r)
    {
        double reference = Reference(r);
        double gain = double.IsNaN(reference) ? double.NaN : Math.Log(r.Rate / reference);
        double used = r.DemandLimited ? Math.Min(_trial, r.Used) : _trial;
        bool keeps = _down
            ? gain >= (double.IsNaN(kept.Service) ? s_keptOfDrain : s_keptBelow)
            : double.IsNaN(gain) || (_paid && gain >= PaidGain) || RampStepRule.Keeps(gain, kept.Size, used, settings);
        if (keeps)
        {
            _lastRatio = Math.Max(1, (double)_trial / kept.Size);
            _attempts = 0;
            _down = _down && _trial > settings.SmallSize;
            Keep(r.DemandLimited ? Math.Min(_trial, UsedSizeRule.Cap(r.Used, settings)) : _trial, r);
            Phase = RampPhase.Step;
            DecisionReason reason = _loan ? DecisionReason.LoanVerified : DecisionReason.RampVerified;
            if (_paid)
            {
                // It was refused when it was dear; it is no reason to go on.
                Refuse(c.Now, retry: false);
            }

            return new(kept.Size, reason, r.Rate, gain);
        }

        // Of a class that waits a rate is steady enough to tell 4 %, and a few threads past the knee cost nothing else.
        bool steady = KindRule.WaitsLong(c, kept.Service);
        double knee = kept.Size * Math.Exp(gain);
        bool higher = knee >= (steady ? 1.04 : 1.15) * kept.Size;
        knee += steady ? Math.Min(StaffingFactor * Math.Sqrt(knee), MostStaffing * knee) : 0;
        bool tryKnee = !_knee && !_down && _trial > settings.SmallSize && higher && Math.Ceiling(knee) <= 0.85 * _trial;
        if (tryKnee)
        {
            SizeProposal proposal = Propose(c.Now, (int)Math.Ceiling(knee), DecisionReason.Ramp) with { RatePerSecond = r.Rate, Gain = gain };
            _knee = true;
            return proposal;
        }

        if (_down)
        {
            // Below is worse: a smaller step down, or the next step is up.
            _down = _byQuarters;
            _byQuarters = false;
            Phase = RampPhase.Step;
            return new(kept.Size, DecisionReason.RampRefused, r.Rate, gain);
        }

        _refusedAtFullCpu = m.IdleShare < settings.IdleFloor;
        bool retry = _trial <= settings.SmallSize || steady;
        bool server = !steady && _trial > settings.SmallSize && kind.MayHaveServer;
        int opened = server ? _trial : 0;
        Refuse(c.Now, retry || server);
        _opened = _resumeAt is null ? 0 : opened;
        return new(kept.Size, DecisionReason.RampRefused, r.Rate, gain);
    }

    // Items so slow, or so uneven, that a few threads cannot be measured in a reasonable time, while more of them wait.
    private bool IsSlow(in ClassObservation c) =>
        kept.Size < settings.SmallSize && !_down && c.Limit == kept.Size && (!_window.IsOpen || c.Completed - _completedAtBegin < FewItems)
        && c.Now - _window.BegunAt >= settings.UnprovenTime && _pressureSince is { } since && c.Now - since >= settings.UnprovenTime;

    // A few threads too many cost little, and a class of few threads among others that are many gets hardly anything done.
    private SizeProposal? GrowUnproven(in ClassObservation c, in MachineObservation m, bool mayGrow)
    {
        StepChoice choice = RampStepRule.Next(c, m, kept.Size, kept.Service, mayGrow, settings);
        int size = Math.Min(choice.Size, Math.Min(2 * kept.Size, settings.SmallSize));
        if (size <= kept.Size)
        {
            return null;
        }

        kept.Set(size);
        Remeasure(c.Now);
        return new(size, DecisionReason.Ramp);
    }

    // A loan is judged on the footing of today's items: what the verified size would bring if each took as long as it does now.
    private double Reference(in GenerationResult r) =>
        _loan && r.Service > 2 * kept.Service ? Math.Min(kept.Rate, kept.Size / r.Service) : kept.Rate;
}
