namespace AdaptivePool.Sizing;

/// <summary>
/// Grows by measured steps. A size counts once it is warm and settled, and a step is kept only for a gain. A completed item is no proof that a bigger size is
/// better. An overshoot cannot be repaired afterwards, because a server remembers it.
/// </summary>
internal sealed partial class RampPolicy(ClassSizeSettings settings, KeptSize kept, KindRule kind, TrialCost cost)
{
    // How long a size below SmallSize is measured while work waits before it is doubled without a measurement. With 0.5 s a warm item of less than 0.1 s is
    // measured by then. A database that 256 other callers keep full answers two threads twice a second, and two measurements of that take ten seconds.
    private static readonly TimeSpan s_unprovenTime = TimeSpan.FromSeconds(0.5);

    // A verified size whose rate suddenly falls below this share is measured again.
    private const double WorseShare = 0.7;

    // A server may pause for a second. A fall to a fifth of the rate is believed after one and a half seconds, a fall to a hundredth after three.
    private static readonly TimeSpan s_believed = TimeSpan.FromSeconds(1);

    // Wait before the ramp looks for a step again where the CPU was full or the class read as a hog: it reads so while the process compiles.
    private static readonly TimeSpan s_fullRetry = TimeSpan.FromSeconds(0.4);

    // The same where a trial size was not granted, or a large size read as a hog. Asking costs a trial, and keeps the search from beginning.
    private static readonly TimeSpan s_boundRetry = TimeSpan.FromSeconds(6);

    // How long work must wait before the ramp looks for a step again.
    private static readonly TimeSpan s_pressure = TimeSpan.FromMilliseconds(30);

    // The machine's window is at least 30 ms long and may still include the step before.
    private static readonly TimeSpan s_freshCpu = TimeSpan.FromMilliseconds(40);
    private static readonly TimeSpan s_noDemand = TimeSpan.FromMilliseconds(300);

    // Items that started together run and sleep together. A reading over 30 ms swings with them; its mean over two windows does not.
    private static readonly TimeSpan s_meanCpu = TimeSpan.FromMilliseconds(75);

    // Beside a busy server idle time comes and goes over a tenth of a second.
    private static readonly TimeSpan s_serverCpu = TimeSpan.FromMilliseconds(300);

    // At this use of the CPU or more, a rate is counted and not computed from the service time.
    private const double ExactCpuShare = 0.75;

    private readonly GenerationWindow _window = new();
    private Stage _stage = new(RampPhase.Baseline, Trying.Step, Descent.None, ResumeAt: null);
    private TimeSpan? _pressureSince;

    /// <summary>Where the ramp stands.</summary>
    public RampPhase Phase => _stage.Phase;

    /// <summary>The size that is to be in force: the size on trial, or the kept size.</summary>
    public int Limit => Phase == RampPhase.Trial ? _window.Size : kept.Size;

    // The ramp goes down from a size that may be far too high.
    private bool IsDown => _stage.Down != Descent.None;

    /// <summary>Measures a size again and continues from there.</summary>
    /// <param name="c">The class at this tick.</param>
    /// <param name="size">The size, in threads.</param>
    /// <param name="probeDown">The workload has become worse: the ramp looks below first, where a probe is cheap.</param>
    public void Restart(in ClassObservation c, int size, bool probeDown = false)
    {
        kept.Set(size);

        // Short items pass the long ones: a size that a server may well need is no reason to look below it first.
        int least = c.ShortPass ? Math.Max(c.SmallSize, FarAbove) : c.SmallSize;
        _stage = _stage with { Down = probeDown && size > least ? Descent.ByQuarters : Descent.None };
        Remeasure(c);
    }

    /// <summary>Measures the verified size again; its service time still serves as the reference.</summary>
    public void Remeasure(in ClassObservation c)
    {
        Enter(RampPhase.Baseline);
        _window.Begin(c, kept.Size, kept.Service, trustFirst: false);
    }

    /// <summary>Gives a trial up because the class reads as a hog.</summary>
    /// <param name="c">The class at this tick.</param>
    public void GiveUp(in ClassObservation c) => Rest(c.Now + (kept.Size < c.SmallSize ? s_fullRetry : s_boundRetry));

    /// <summary>Measures a size that was lent to sleepers. The size stays in force meanwhile.</summary>
    public void BeginLoanTrial(in ClassObservation c, int size) => BeginTrial(c, size, Trying.Loan);

    /// <summary>Takes one tick.</summary>
    /// <param name="c">The class.</param>
    /// <param name="m">The machine.</param>
    /// <param name="heldDown">How long less than the decided size has been in force.</param>
    public SizeProposal? Observe(in ClassObservation c, in MachineObservation m, TimeSpan heldDown)
    {
        if (_window.UseBefore is null || c.Now - _window.BegunAt < s_freshCpu)
        {
            _window.LeaveOut(m);
        }

        // A probe below the verified size leaves CPU idle that is not free.
        _pressureSince = c.Queued > 0 && c.Limit >= kept.Size ? _pressureSince ?? c.Now : null;
        bool exact = !RampStepRule.IsFullByWaiters(c, m, ExactCpuShare);
        switch (Phase)
        {
            case RampPhase.Trial when heldDown >= s_noDemand:
                // The pool's maximum or another class prevents the trial of the size: the size that was granted is tried instead.
                return c.Limit > kept.Size ? Propose(c, c.Limit, DecisionReason.Ramp) : Bounded(c.Now);
            case RampPhase.Baseline:
                return Baseline(c, m, exact);
            case RampPhase.Step:
                return Step(c, m);
            case RampPhase.Trial:
                return Trial(c, m, exact);
            default:
                if (MayResume(c, m))
                {
                    Remeasure(c);
                }

                return null;
        }
    }

    private SizeProposal Bounded(TimeSpan now)
    {
        Rest(now + s_boundRetry);
        return new(kept.Size, DecisionReason.RampRefused);
    }

    private SizeProposal? Baseline(in ClassObservation c, in MachineObservation m, bool exact)
    {
        if (IsDown && IsFarAbove(c) && StepDown(c) is { } lower)
        {
            // A generation takes seconds there, and the items that end while the trial drains say as much.
            return lower;
        }

        if (_window.Observe(c, exact, MayBeCrowded(c, m)) is not { } r)
        {
            return IsSlow(c, m) ? GrowUnproven(c, m) : null;
        }

        if (r.DemandLimited && !IsDown)
        {
            Remeasure(c);
            return null;
        }

        if (kind.MayHaveServer && r.Rate < WorseShare * kept.Rate && !c.ShortPass)
        {
            // The server pauses, perhaps for a checkpoint. Idle CPU now is no room, and a step taken now would be compared with this rate. A rate that lasts
            // is gradually believed. Short items do not pass the long ones before a server that pauses: these are other items.
            kept.Approach(r.Rate, 1 - Math.Exp(-(c.Now - _window.BegunAt) / s_believed));
            Remeasure(c);
            return null;
        }

        kept.Prove(kept.Size, r.Rate, r.Service, r.IsCrowded);
        return Step(c, m);
    }

    private SizeProposal? Step(in ClassObservation c, in MachineObservation m)
    {
        Enter(RampPhase.Step);
        bool waits = kind.Waits(c, kept.Service);
        if (IsDown && StepDown(c) is { } lower)
        {
            return lower;
        }

        TimeSpan age = c.Now - _window.BegunAt;
        double promised = ClassSizeSettings.MaxStep * RampStepRule.Utilisation(c, m, waits);
        if (waits && age < s_meanCpu && promised > 1)
        {
            return null;
        }

        if (!waits && kind.MayHaveServer && kept.Size >= c.SmallSize && age < s_serverCpu)
        {
            return null;
        }

        SizeProposal? choice = _stage.Trying == Trying.Knee ? null : NextStep(c, m);
        if (choice is not { } next || !MayReach(c, next.Limit, out int size))
        {
            // No further look for a step that was refused or that exceeds the budget. Where no work waits, the ramp looks as soon as some does; else after a
            // while.
            bool isLeft = choice is not null || _stage.Trying == Trying.Knee;
            Rest(isLeft ? null : UsedSizeRule.DemandCap(c) <= kept.Size ? c.Now : c.Now + s_fullRetry);
            return null;
        }

        return Propose(c, size, next.Reason);
    }

    // A few threads too many cost little, and threads that wait for no server burden no server.
    private bool MayReach(in ClassObservation c, int wanted, out int size)
    {
        double most = wanted > c.SmallSize ? kept.Size * cost.HighestRatio(c.Now) : wanted;
        size = (int)Math.Min(wanted, most);
        return size >= RampStepRule.SmallestStep * kept.Size || size == wanted;
    }

    private SizeProposal? Trial(in ClassObservation c, in MachineObservation m, bool exact)
    {
        MeasureDrain(c);
        GenerationResult? result = _window.Observe(c, exact, MayBeCrowded(c, m));
        bool unused = !IsDown && c.Demand <= kept.Size && c.Now - _window.BegunAt >= s_noDemand;
        if (result is null && !unused)
        {
            return null;
        }

        if (result is not { } r || (!IsDown && r.DemandLimited && r.Used <= kept.Size))
        {
            Rest(c.Now);
            return new(kept.Size, DecisionReason.DemandLimited);
        }

        return Judge(c, m, r);
    }

    private bool MayResume(in ClassObservation c, in MachineObservation m)
    {
        if (!(c.Now - _pressureSince >= s_pressure) || !(c.Now >= _stage.ResumeAt))
        {
            return false;
        }

        return double.IsNaN(kept.Rate) || NextStep(c, m) is not null;
    }

    private SizeProposal? NextStep(in ClassObservation c, in MachineObservation m) =>
        RampStepRule.Next(c, MeanOf(m), kept, kind.Waits(c, kept.Service), mayGrow: !kind.Burns, settings);

    private bool MayBeCrowded(in ClassObservation c, in MachineObservation m) =>
        Limit <= ClassSizeSettings.ShareSize && RampStepRule.IsFullByOthers(c, MeanOf(m));

    private MachineObservation MeanOf(in MachineObservation m) => _window.UseBefore is { } before ? m.Use.MeanOf(m, before) : m;

    private void Enter(RampPhase phase) => _stage = Phase == phase ? _stage : _stage with { Phase = phase, ResumeAt = null };

    // The time until which the ramp rests; null for a step that was refused. Only the controller, which compares in pairs, can still go to such a size.
    private void Rest(TimeSpan? resumeAt)
    {
        _stage = new(RampPhase.Rest, Trying.Step, _stage.Down, resumeAt);
        _pressureSince = null;
    }

    private SizeProposal Propose(in ClassObservation c, int size, DecisionReason reason, Trying trying = Trying.Step)
    {
        BeginTrial(c, size, trying);
        return new(size, reason, kept.Rate);
    }

    private void BeginTrial(in ClassObservation c, int size, Trying trying)
    {
        _stage = new(RampPhase.Trial, trying, _stage.Down, ResumeAt: null);
        _window.Begin(c, size, kept.Service, trustFirst: trying == Trying.Loan);
    }

    // The reason why a size is tried.
    private enum Trying
    {
        Step,

        /// <summary>The size was lent to sleepers.</summary>
        Loan,

        /// <summary>A refused step says that the best size lies between.</summary>
        Knee,
    }

    // How the ramp leaves a size far above.
    private enum Descent
    {
        None,
        ByQuarters,
        ByHalves,
    }

    private sealed record Stage(RampPhase Phase, Trying Trying, Descent Down, TimeSpan? ResumeAt);
}
