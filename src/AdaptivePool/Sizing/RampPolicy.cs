using AdaptivePool.Control;

namespace AdaptivePool.Sizing;

/// <summary>
/// Grows by measured steps: a size counts once it is warm and settled, a step is kept only for a gain. A completed item is no proof that a bigger size is
/// better, and an overshoot cannot be repaired afterwards: a server remembers it.
/// </summary>
internal sealed partial class RampPolicy(ClassSizeSettings settings, KeptSize kept, KindRule kind, TrialCost cost, RateNoise noise)
{
    // How long a size below SmallSize is measured while work waits before it is doubled without a measurement. 0.5 s: a database that 256 others keep full
    // answers two threads twice a second, and two measurements of that take ten seconds; a warm item of less than 0.1 s is measured by then.
    private static readonly TimeSpan s_unprovenTime = TimeSpan.FromSeconds(0.5);

    // A trial that brings less than this share of the verified rate is refused before it is settled.
    private const double WorseShare = 0.7;

    // How often a verified size that suddenly brings less than WorseShare is measured again before that counts: a server that writes a checkpoint is slow
    // and leaves the CPU idle, and a step taken then seems to help.
    private const int SlowLooks = 8;

    // How far two generations of a step above SmallSize may differ, of a class whose service time says nothing: a warming process must not pass for a gain.
    private const double LargeStepTolerance = 0.12;

    // First window of a generation at a small size. Windows of 10 to 30 ms read 1,400 to 5,500 per second for one size.
    private static readonly TimeSpan s_smallWindow = TimeSpan.FromMilliseconds(60);

    // First window above SmallSize when the service time says nothing.
    private static readonly TimeSpan s_largeWindow = TimeSpan.FromMilliseconds(150);

    // Waits before a refused step is tried again: while the process compiles, 2 to 4 and 4 to 8 read as gains of 0.05 to 0.09.
    private static readonly TimeSpan[] s_retries = [TimeSpan.FromSeconds(0.4), TimeSpan.FromSeconds(1.5), TimeSpan.FromSeconds(6)];

    // The machine's window is at least 30 ms long and may still hold the step before.
    private static readonly TimeSpan s_freshCpu = TimeSpan.FromMilliseconds(40);
    private static readonly TimeSpan s_noDemand = TimeSpan.FromMilliseconds(300);

    // Items that started together run and sleep together: a reading over 30 ms swings with them, its mean over two windows does not.
    private static readonly TimeSpan s_meanCpu = TimeSpan.FromMilliseconds(75);

    // Beside a busy server idle time comes and goes over a tenth of a second.
    private static readonly TimeSpan s_serverCpu = TimeSpan.FromMilliseconds(300);

    // From this use of the CPU on, a rate is counted and not computed from the service time.
    private const double ExactCpuShare = 0.75;

    // Standard deviation of the logarithm of a rate that is worth comparing, where it can be had in time.
    private const double WantedDeviation = 0.15;
    private const double LongestWindowSeconds = 2;

    private readonly GenerationWindow _window = new();
    private readonly MachineMean _machine = new(ClassSizeSettings.MachineMemory);
    private Trying _trying;
    private Descent _down;
    private RampPhase _phase;
    private Pause? _pause;
    private double _lastRatio = 1;
    private long _completedAtBegin;
    private double _readingSum;
    private int _readings;
    private int _attempts;
    private TimeSpan? _pressureSince;
    private TimeSpan? _noDemandSince;
    private TimeSpan? _heldDownSince;
    private int _slowLooks;

    /// <summary>Where the ramp stands.</summary>
    public RampPhase Phase => _pause is null ? _phase : RampPhase.Rest;

    /// <summary>Why it rests.</summary>
    public RampStop Stop => _pause?.Stop ?? RampStop.None;

    // Sizes that may be far too high are left downwards.
    private bool IsDown => _down != Descent.None;

    /// <summary>The size the ramp wants in force.</summary>
    public int Limit => Phase == RampPhase.Trial ? kept.Decided : kept.Size;

    /// <summary>A refused step is to be tried again soon: not worth probing around the verified size meanwhile.</summary>
    public bool RetriesSoon(TimeSpan now) => _pause is { Stop: RampStop.Refused, ResumeAt: { } at } && at - now <= ClassSizeSettings.Patience;

    /// <summary>Measures a size again and goes on from there.</summary>
    /// <param name="c">The class at this tick.</param>
    /// <param name="size">The size, in threads.</param>
    /// <param name="probeDown">The workload changed for the worse: look below first, where a probe is cheap.</param>
    public void Restart(in ClassObservation c, int size, bool probeDown = false)
    {
        kept.Set(size);
        _attempts = 0;
        _down = probeDown && size > settings.SmallSize ? Descent.ByQuarters : Descent.None;
        Remeasure(c);
    }

    /// <summary>Measures the verified size again; its service time still serves as the reference.</summary>
    public void Remeasure(in ClassObservation c)
    {
        Enter(RampPhase.Baseline);
        Begin(c, kept.Size, trustFirst: false);
    }

    /// <summary>Gives a trial up.</summary>
    /// <param name="now">Time of the tick.</param>
    /// <param name="retry">Whether to try again after a while.</param>
    public void Refuse(TimeSpan now, bool retry)
    {
        Rest(RampStop.Refused, retry && _attempts < s_retries.Length ? now + s_retries[_attempts++] : null);
    }

    /// <summary>Measures a size that was lent to sleepers and stays in force meanwhile.</summary>
    public void BeginLoanTrial(in ClassObservation c, int size) => BeginTrial(c, size, Trying.Loan);

    /// <summary>Takes one tick.</summary>
    public SizeProposal? Observe(in ClassObservation c, in MachineObservation m, bool mayGrow)
    {
        if (c.Now - _window.BegunAt >= s_freshCpu)
        {
            _machine.Observe(c.Now, m);
        }

        // A probe below the verified size leaves CPU idle that is not free.
        _pressureSince = c.Queued > 0 && c.Limit >= kept.Size ? _pressureSince ?? c.Now : null;
        _noDemandSince = c.Demand <= Math.Min(kept.Size, Limit) ? _noDemandSince ?? c.Now : null;
        _heldDownSince = c.Limit < Limit ? _heldDownSince ?? c.Now : null;
        bool exact = !RampStepRule.IsFullByWaiters(c, m, ExactCpuShare);
        MeanUtilisation(c, m);
        switch (Phase)
        {
            case RampPhase.Trial when _heldDownSince is { } since && c.Now - since >= s_noDemand:
                // The pool's maximum or another class keeps the size from being tried: what was granted of it is tried instead.
                return c.Limit > kept.Size ? Propose(c, c.Limit, DecisionReason.Ramp) : Bounded(c.Now);
            case RampPhase.Baseline or RampPhase.Step when _heldDownSince is { } since && c.Now - since >= ClassSizeSettings.KeptNotGranted:
                Restart(c, c.Limit);
                return new(c.Limit, DecisionReason.Reinitialized);
            case RampPhase.Baseline:
                return Baseline(c, m, mayGrow, exact);
            case RampPhase.Step:
                return Step(c, m, mayGrow);
            case RampPhase.Trial:
                return Trial(c, m, exact);
            default:
                if (MayResume(c, m, mayGrow))
                {
                    Remeasure(c);
                }

                return null;
        }
    }

    private SizeProposal Bounded(TimeSpan now)
    {
        Rest(RampStop.Bound, RetryAt(now));
        _attempts = Math.Min(_attempts + 1, s_retries.Length);
        return new(kept.Size, DecisionReason.RampRefused);
    }

    private SizeProposal? Baseline(in ClassObservation c, in MachineObservation m, bool mayGrow, bool exact)
    {
        if (IsDown && IsFarAbove(c) && StepDown(c) is { } lower)
        {
            // One generation takes seconds there, and what ends while the trial drains says as much.
            return lower;
        }

        if (_window.Observe(c, exact) is not { } r)
        {
            return IsSlow(c) ? GrowUnproven(c, m, mayGrow) : null;
        }

        if (r.DemandLimited && !IsDown)
        {
            Remeasure(c);
            return null;
        }

        if (kind.MayHaveServer && r.Rate < WorseShare * kept.Rate && _slowLooks < SlowLooks)
        {
            // The server pauses: idle CPU now is no room, and a step taken now would be compared with this.
            _slowLooks++;
            Remeasure(c);
            return null;
        }

        _slowLooks = 0;

        Keep(kept.Size, r);
        return Step(c, m, mayGrow);
    }

    private SizeProposal? Step(in ClassObservation c, in MachineObservation m, bool mayGrow)
    {
        Enter(RampPhase.Step);
        bool waits = kind.Waits(c, kept.Service);
        if (IsDown && StepDown(c) is { } lower)
        {
            return lower;
        }

        TimeSpan age = c.Now - _window.BegunAt;
        double promised = ClassSizeSettings.MaxStep * RampStepRule.Utilisation(c, m, waits);
        if (waits && ((age < s_freshCpu && promised * _lastRatio > 1) || (age < s_meanCpu && promised > 1)))
        {
            return null;
        }

        if (!waits && kind.MayHaveServer && kept.Size >= settings.SmallSize && age < s_serverCpu)
        {
            return null;
        }

        double u = waits && _readings > 0 ? _readingSum / _readings : double.NaN;

        StepChoice choice = _trying == Trying.Knee ? new(0, DecisionReason.Hold, RampStop.Refused)
            : RampStepRule.Next(c, waits ? m : _machine.Of(m), kept.Size, kept.Service, waits, mayGrow, settings, u);
        if (choice.Size == 0)
        {
            Rest(choice.Stop, choice.Stop is RampStop.CpuFull or RampStop.Bound ? RetryAt(c.Now) : null);
            return null;
        }

        if (!MayReach(c.Now, choice.Size, out int size))
        {
            Refuse(c.Now, retry: false);
            return null;
        }

        return Propose(c, size, choice.Reason);
    }

    // Few threads too many cost little, and who waits for no server costs nobody.
    private bool MayReach(TimeSpan now, int wanted, out int size)
    {
        bool isBound = cost.Counts && wanted > settings.SmallSize;
        double most = isBound ? kept.Size * cost.HighestRatio(now) : wanted;
        size = (int)Math.Min(wanted, most);
        return size >= RampStepRule.SmallestStep * kept.Size || size == wanted;
    }

    private SizeProposal? Trial(in ClassObservation c, in MachineObservation m, bool exact)
    {
        MeasureDrain(c);
        GenerationResult? result = _window.Observe(c, exact);
        bool unused = !IsDown && _noDemandSince is { } since && c.Now - since >= s_noDemand;
        if (result is null && !unused)
        {
            return IsWorse(c, out double rate) ? Judge(c, m, new(rate, double.NaN, c.Active, Exact: false, DemandLimited: false)) : null;
        }

        if (result is not { } r || (!IsDown && r.DemandLimited && r.Used <= kept.Size))
        {
            Rest(RampStop.Demand, resumeAt: null);
            return new(kept.Size, DecisionReason.DemandLimited);
        }

        return Judge(c, m, r);
    }

    // A trial that brings far less is not measured to the end: it need not be warm or settled to be refused.
    private bool IsWorse(in ClassObservation c, out double rate)
    {
        double seconds = (c.Now - _window.BegunAt).TotalSeconds;
        long items = c.Completed - _completedAtBegin;
        rate = items / Math.Max(1e-9, seconds);
        bool longEnough = seconds >= Math.Max(0.25, 3 * kept.Service) && seconds * kept.Rate >= 40;
        double worse = WorseShare * kept.Rate * Math.Exp(-2 * Doubt(seconds));
        return longEnough && _trying != Trying.Loan && c.Queued > 0 && c.Limit == kept.Decided && rate < worse;
    }

    private bool MayResume(in ClassObservation c, in MachineObservation m, bool mayGrow)
    {
        if (_pressureSince is not { } since || _pause is not { } pause)
        {
            return false;
        }

        TimeSpan pressure = c.Now - since;
        bool due = pause.ResumeAt is { } at && c.Now >= at;
        bool resume = pause.Stop switch
        {
            RampStop.Demand => pressure >= TimeSpan.FromMilliseconds(30),
            RampStop.CpuFull or RampStop.Bound => due && pressure >= TimeSpan.FromMilliseconds(100),
            // A verified size is left for a refused one by whoever compares in pairs, or where a step costs nothing.
            _ when kept.IsVerified && kind.MayHaveServer => false,
            _ => due,
        };
        bool waits = kind.Waits(c, kept.Service);
        return resume && (double.IsNaN(kept.Rate)
            || RampStepRule.Next(c, waits ? m : _machine.Of(m), kept.Size, kept.Service, waits, mayGrow, settings).Size > 0);
    }

    private void MeanUtilisation(in ClassObservation c, in MachineObservation m)
    {
        double u = RampStepRule.Utilisation(c, m, waits: true);
        if (!double.IsNaN(u) && c.Now - _window.BegunAt >= s_freshCpu)
        {
            _readingSum += u;
            _readings++;
        }
    }

    private TimeSpan RetryAt(TimeSpan now) => now + s_retries[Math.Min(_attempts, s_retries.Length - 1)];

    private void Enter(RampPhase phase) => (_phase, _pause) = (phase, null);

    private void Rest(RampStop stop, TimeSpan? resumeAt)
    {
        _pause = new(stop, resumeAt);
        _trying = Trying.Step;
        _pressureSince = null;
    }

    private void Keep(int size, in GenerationResult r)
    {
        kept.Keep(size, r.Rate, r.Service);
        _noDemandSince = null;
    }

    private SizeProposal Propose(in ClassObservation c, int size, DecisionReason reason, Trying trying = Trying.Step)
    {
        BeginTrial(c, size, trying);
        return new(size, reason, kept.Rate);
    }

    private void BeginTrial(in ClassObservation c, int size, Trying trying)
    {
        Enter(RampPhase.Trial);
        kept.Decided = size;
        _trying = trying;
        _noDemandSince = null;
        _heldDownSince = null;
        Begin(c, size, trustFirst: trying == Trying.Loan);
    }

    private void Begin(in ClassObservation c, int size, bool trustFirst)
    {
        _completedAtBegin = c.Completed;
        _readingSum = 0;
        _readings = 0;
        _machine.Clear();
        bool small = size <= settings.SmallSize;
        // A retry looks longer than the attempt that was refused.
        double growth = Math.Pow(ClassSizeSettings.WindowGrowth, _attempts);
        TimeSpan window = (small ? s_smallWindow : s_largeWindow) * growth;
        window = window < ClassSizeSettings.MaxWindow ? window : ClassSizeSettings.MaxWindow;
        double tolerance = small ? ClassSizeSettings.SettledTolerance : LargeStepTolerance;
        if (!small || IsDown)
        {
            // Telling sizes apart that differ by d takes 8 / d^2 of what chance is worth, however it is counted.
            TimeSpan needed = TimeSpan.FromSeconds(Math.Min(noise.SecondsFor(WantedDeviation), LongestWindowSeconds));
            window = window > needed ? window : needed;
            tolerance = Math.Max(tolerance, Math.Exp(Doubt(window.TotalSeconds)) - 1);
        }

        _window.Begin(c.Now, new(size, window, tolerance, kept.Service, small, trustFirst));
    }

    // Standard deviation of the logarithm of the ratio of two rates that were counted for so long.
    private double Doubt(double seconds) => Math.Sqrt(2 * noise.Variance(seconds));

    // What a size is tried for.
    private enum Trying
    {
        Step,

        /// <summary>It was lent to sleepers.</summary>
        Loan,

        /// <summary>A refused step says that the best size lies between.</summary>
        Knee,
    }

    // How a size far above is left.
    private enum Descent
    {
        None,
        ByQuarters,
        ByHalves,
    }

    private sealed record Pause(RampStop Stop, TimeSpan? ResumeAt);
}
