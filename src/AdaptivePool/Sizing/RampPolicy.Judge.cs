namespace AdaptivePool.Sizing;

/// <content>Keeps or refuses a size that was tried.</content>
internal sealed partial class RampPolicy
{
    private SizeProposal Judge(in ClassObservation c, in MachineObservation m, in GenerationResult r)
    {
        int trial = Limit;
        double reference = Reference(r);
        double gain = double.IsNaN(reference) ? double.NaN : Math.Log(r.Rate / reference);
        double used = r.DemandLimited ? Math.Min(trial, r.Used) : trial;
        bool isUnclear = !m.Known || (r.IsCrowded && trial <= ClassSizeSettings.ShareSize);
        bool keeps = IsDown
            ? gain >= (kept.IsMeasured ? s_keptBelow : s_keptOfDrain)
            : double.IsNaN(gain) || RampStepRule.Keeps(gain, kept.Size, used, isUnclear, c.SmallSize);
        if (keeps)
        {
            _stage = _stage with { Down = trial > c.SmallSize ? _stage.Down : Descent.None };
            kept.Prove(r.DemandLimited ? Math.Min(trial, UsedSizeRule.Cap(r.Used)) : trial, r.Rate, r.Service, r.IsCrowded);
            Enter(RampPhase.Step);
            DecisionReason reason = _stage.Trying == Trying.Loan ? DecisionReason.LoanVerified : DecisionReason.RampVerified;
            return new(kept.Size, reason, r.Rate, gain);
        }

        // For a class that waits the rate is steady enough to tell 4 %, and a few threads past the knee cost nothing else.
        bool steady = kind.Waits(c, kept.Service);
        double knee = kept.Size * Math.Exp(gain);
        bool higher = knee >= (steady ? 1.04 : 1.15) * kept.Size;
        knee = steady ? RampStepRule.Staffed(knee) : knee;
        bool tryKnee = _stage.Trying != Trying.Knee && !IsDown && trial > c.SmallSize && higher && Math.Ceiling(knee) <= 0.85 * trial;
        if (tryKnee)
        {
            return Propose(c, (int)Math.Ceiling(knee), DecisionReason.Ramp, Trying.Knee) with { RatePerSecond = r.Rate, Gain = gain };
        }

        if (IsDown)
        {
            // The smaller size is worse: a smaller step down follows, or the next step is up.
            _stage = _stage with { Down = _stage.Down == Descent.ByQuarters ? Descent.ByHalves : Descent.None };
            if (kept.IsMeasured)
            {
                Enter(RampPhase.Step);
            }
            else
            {
                // The rate of the drain is too good: no step up is judged by it.
                Remeasure(c);
            }

            return new(kept.Size, DecisionReason.RampRefused, r.Rate, gain);
        }

        // A gain that is not known after one step is left to the controller, which compares in pairs.
        Rest(resumeAt: null);
        return new(kept.Size, DecisionReason.RampRefused, r.Rate, gain);
    }

    // Items are so slow, or so uneven, that a few threads cannot be measured in a reasonable time, or they hold most workers up, while more of them wait.
    private bool IsSlow(in ClassObservation c, in MachineObservation m) =>
        kept.Size < c.SmallSize && !IsDown && c.Limit == kept.Size
        && (!_window.IsOpen || c.Completed - _window.CompletedAtBegin < FewItems
            || (2 * kept.Size <= ClassSizeSettings.ShareSize && MayBeCrowded(c, m) && _window.IsCrowded(c)))
        && c.Now - _window.BegunAt >= s_unprovenTime && _pressureSince is { } since && c.Now - since >= s_unprovenTime;

    // A few threads too many cost little. A class of few threads among others with many gets hardly anything done.
    private SizeProposal? GrowUnproven(in ClassObservation c, in MachineObservation m)
    {
        if (NextStep(c, m) is not { } next)
        {
            return null;
        }

        int size = Math.Min(next.Limit, Math.Min(2 * kept.Size, c.SmallSize));

        kept.Set(size);
        Remeasure(c);
        return new(size, DecisionReason.Ramp);
    }

    // A loan is judged by the present items: the rate that the verified size would have if each item took as long as it does now.
    private double Reference(in GenerationResult r) =>
        _stage.Trying == Trying.Loan && r.Service > 2 * kept.Service ? Math.Min(kept.Rate, kept.Size / r.Service) : kept.Rate;
}
