namespace AdaptivePool.Sizing;

/// <summary>
/// Finds the limit of one work class. It is called at every tick, on virtual or real time, and is pure and deterministic. The rules speak in the order of
/// safety: the user, hogs, loans, the ramp, the hold controller.
/// </summary>
internal sealed class ClassSizePolicy
{
    private readonly FixedController? _fixed;
    private readonly KindRule _kind = new();
    private readonly IPoolController? _holdController;
    private readonly ControllerFeed? _feed;
    private Rules _rules;
    private TimeSpan _unchangedSince;
    private TimeSpan _decidedAt;
    private Sums _sums;

    /// <summary>Creates the policy of a class about which nothing is known.</summary>
    /// <param name="settings">Bounds and constants.</param>
    /// <param name="holdController">Decides once the ramp rests; null keeps the verified size. A <see cref="FixedController"/> always keeps its own
    /// size.</param>
    public ClassSizePolicy(ClassSizeSettings settings, IPoolController? holdController)
    {
        settings = Normalise(settings, settings.MaxLimit);
        _fixed = holdController as FixedController;
        _holdController = holdController;
        _rules = Create(settings, DecisionReason.Initial);

        // Work in flight needs workers, whatever size a search tries.
        _feed = IWholeController.Is(holdController) && !settings.InFlight ? new(holdController!, settings.IdleTimeout, settings.StartLimit) : null;
    }

    private ClassSizeSettings Settings => _rules.Settings;

    private KeptSize Kept => _rules.Kept;

    private TrialCost Cost => _rules.Cost;

    private LentRule Lent => _rules.Lent;

    private RampPolicy Ramp => _rules.Ramp;

    private HoldPolicy Hold => _rules.Hold;

    // The kept size or the size on trial, as decided by the rule that is in control.
    private int Decided => _feed?.Size ?? (Hold.IsOpen ? Hold.Limit : Ramp.Limit);

    /// <summary>The size that a measurement has kept; the start size while nothing has been measured.</summary>
    public int Verified => Kept.Size;

    /// <summary>Items that had ended at the last look, cumulative.</summary>
    public long Completed { get; private set; }

    /// <summary>What the items of the class do with their threads.</summary>
    public WorkKind Kind => _kind.Kind;

    /// <summary>The class reads as a CPU hog: its limits count towards the sum that hogs may have.</summary>
    public bool IsHog => _kind.Burns;

    /// <summary>
    /// A larger size is in force that no measurement has verified. Until that size is verified or given up the policy needs its ticks, even when no work
    /// waits any more: the next burst must not meet an unverified size.
    /// </summary>
    public bool HoldsUnverified =>
        Lent.IsOpen || (_feed?.WantsLooks ?? Ramp.Limit > Kept.Size);

    /// <summary>When the policy wants the next look.</summary>
    /// <param name="c">What is known about the class.</param>
    public TimeSpan NextLook(in ClassObservation c) =>
        c.Demand == 0 || c.Now - _unchangedSince > TickRule.Calm ? TickRule.Longest
            : TickRule.Next((Hold.IsOpen || _feed is not null) && !Lent.IsOpen, Lent.StallTime(c));

    /// <summary>What the policy is doing, in words.</summary>
    public string State => _fixed is not null ? "Fixed"
        : Lent.IsOpen ? "Loan"
        : _feed is not null ? _feed.State
        : Hold.IsOpen ? (_kind.Burns ? "Hog" : "Hold")
        : Enum.GetName(Ramp.Phase)!;

    /// <summary>Applies a new bound from the user. A size that was measured inside the bound stays the starting point; everything else is measured
    /// again.</summary>
    /// <param name="maxLimit">Highest limit, one or more.</param>
    public void Resize(int maxLimit)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(maxLimit, 1);
        _rules = Create(Normalise(Settings with { StartLimit = Verified }, maxLimit), DecisionReason.ManualResize);
    }

    /// <summary>Decides at one tick.</summary>
    /// <param name="look">What is known about the class. This method adds what has come since the previous look.</param>
    /// <param name="m">What is known about the machine.</param>
    public ClassDecision Decide(in ClassObservation look, in MachineObservation m)
    {
        ClassObservation c = look with
        {
            Elapsed = look.Now - _decidedAt,
            Ended = look.Completed - Completed,
            Least = Math.Min(look.Least, Settings.MaxLimit),
        };
        (_decidedAt, Completed) = (c.Now, c.Completed);
        if (c.Demand == 0 || c.Elapsed > TickRule.Rare)
        {
            // No work waited for a while: the work that comes now is new.
            _unchangedSince = c.Now;
        }

        // A resize has forgotten what was decided before the new bounds.
        int before = _rules.Begins is null ? WithLent(Decided) : c.Limit;
        ControllerTrace? said = DecideOnce(c, m);
        int limit = WithLent(Decided);
        if (said is null && limit != before)
        {
            said = Say(c, m, new(Decided, limit > before ? DecisionReason.StallLoan : DecisionReason.LoanRepaid));
        }

        return new(limit, said is null ? null : said with { From = said.Reason == DecisionReason.Initial ? c.Limit : before, To = limit });
    }

    private int WithLent(int limit) => (int)Math.Min((long)limit + Lent.Threads, Settings.MaxLimit);

    // The rule that is in control holds the decision. Returns what is to be reported, or null for nothing.
    private ControllerTrace? DecideOnce(in ClassObservation c, in MachineObservation m)
    {
        if (_rules.Begins is { } reason)
        {
            _rules = _rules with { Begins = null };
            Lent.Cancel(c.Now);
            return Begin(c, m, reason);
        }

        if (_fixed is not null)
        {
            return null;
        }

        _kind.Observe(c, m);

        // All other rules see the class without its stuck workers and without the threads that were lent for them.
        ClassObservation moving = Sum(c with
        {
            Limit = Math.Max(1, c.Limit - Lent.Stuck),
            Active = c.Active - Math.Min(c.Active, Lent.Stuck),
            Old = c.Old - Math.Min(c.Old, Lent.Stuck),
        });
        Cost.Observe(moving);
        int size = Decided + Lent.Stalled;
        if (_feed is null && _kind.Burns && size > c.HogLimit && (_kind.BurnsLasting(c.Now) || size > Verified))
        {
            return CapHogs(c, m);
        }

        int lent = Lent.Stalled;
        LentEnd end = Lent.Observe(c, m, Decided, Kept.Size, isCold: _feed is null && !Kept.IsProven, mayGrow: !_kind.Burns);
        if (Lent.IsOpen)
        {
            // Completions during a loan belong to no size that was decided.
            _feed?.Interrupt();
            return null;
        }

        if (_feed is not null)
        {
            return end == LentEnd.None ? DecideWhole(_feed, moving, m) : Say(c, m, new(_feed.Size, DecisionReason.LoanRepaid));
        }

        if (end != LentEnd.None)
        {
            int lentTo = (int)Math.Min((long)Decided + lent, Settings.MaxLimit);
            Hold.End();
            if (end == LentEnd.Returned)
            {
                Ramp.Remeasure(c);
                return Say(c, m, new(Kept.Size, DecisionReason.LoanRepaid));
            }

            Ramp.BeginLoanTrial(c, lentTo);
        }

        return Steer(moving with { ShortPass = Lent.ShortPass(c) }, m);
    }

    private ClassObservation Sum(in ClassObservation c)
    {
        double seconds = c.Elapsed.TotalSeconds;
        _sums = new(_sums.Busy + (c.Active * seconds), _sums.Long + (Found(c) * seconds), _sums.Empty + (c.Queued == 0 ? seconds : 0));
        return c with { BusySeconds = _sums.Busy, LongSeconds = _sums.Long, EmptySeconds = _sums.Empty };
    }

    // Workers in long items, without the workers that are stuck: the stuck ones hold the oldest items.
    private static int Found(in ClassObservation c)
    {
        if (c.Ages is not { } ages)
        {
            return 0;
        }

        (int waiting, int elsewhere) = ages.CountFrom(ClassObservation.LongHold.TotalSeconds);
        return Math.Max(0, waiting + elsewhere - Math.Max(0, ages.Count - c.Active));
    }

    private ControllerTrace Begin(in ClassObservation c, in MachineObservation m, DecisionReason reason)
    {
        if (_fixed is not null)
        {
            Kept.Set(Math.Clamp(_fixed.Size, 1, Settings.MaxLimit));
            return Say(c, m, new(Kept.Size, reason));
        }

        if (_feed is not null)
        {
            _feed.Begin(c, Kept.Size);
            return Say(c, m, new(Kept.Size, reason));
        }

        // A large start size that a user has set may be too large for a server. A look below that size is cheap.
        Ramp.Restart(c, Kept.Size, probeDown: reason == DecisionReason.Initial);
        return Say(c, m, new(Kept.Size, reason));
    }

    private ControllerTrace? Steer(in ClassObservation c, in MachineObservation m)
    {
        TimeSpan since = c.LimitSince > _unchangedSince ? c.LimitSince : _unchangedSince;
        TimeSpan heldDown = c.Limit < Decided ? c.Now - since : TimeSpan.Zero;
        if (Decided < c.Least || (Decided <= Kept.Size && heldDown >= ClassSizeSettings.KeptNotGranted))
        {
            // A size below the least limit in force, or a kept size that has not been granted for a long time, cannot be measured. The limit in force is
            // measured instead.
            int size = Math.Max(c.Limit, c.Least);
            Hold.End();
            Ramp.Restart(c, size);
            return Say(c, m, new(size, DecisionReason.Reinitialized));
        }

        if (Ramp.Observe(c, m, heldDown) is { } proposal)
        {
            Hold.End();
            return Say(c, m, proposal);
        }

        if (Ramp.Phase != RampPhase.Rest)
        {
            if (Hold.IsOpen)
            {
                bool isTrial = Decided != Kept.Size;
                Hold.End();
                return isTrial ? Say(c, m, new(Kept.Size, DecisionReason.Reinitialized)) : null;
            }

            return null;
        }

        if (!Hold.IsOpen)
        {
            Hold.Begin(c.Now);
        }

        if (Hold.Observe(c, m, heldDown) is not { } held)
        {
            return null;
        }

        if (!Hold.IsOpen)
        {
            Ramp.Restart(c, held.Limit, probeDown: held.Gain < 0);
        }

        return Say(c, m, held);
    }

    private ControllerTrace CapHogs(in ClassObservation c, in MachineObservation m)
    {
        int size = !_kind.BurnsLasting(c.Now) || Verified <= c.HogLimit ? Verified : c.HogLimit;
        bool trial = !Lent.IsOpen && !Hold.IsOpen && Ramp.Phase == RampPhase.Trial;
        Lent.Cancel(c.Now);
        Hold.End();
        if (trial && size == Kept.Size)
        {
            Ramp.GiveUp(c);
        }
        else
        {
            Ramp.Restart(c, size);
        }

        return Say(c, m, new(size, DecisionReason.HogCap));
    }

    /// <summary>Asks a controller that makes all decisions: there is neither a ramp nor a lead. The rules that protect the class and the machine come first,
    /// as they always do: loans, hogs, bounds.</summary>
    private ControllerTrace? DecideWhole(ControllerFeed feed, in ClassObservation c, in MachineObservation m)
    {
        int before = feed.Size;
        int hogs = _kind.BurnsLasting(c.Now) ? c.HogLimit : Math.Max(c.HogLimit, feed.Size);
        int most = _kind.Burns ? Math.Clamp(hogs, 1, Settings.MaxLimit) : Settings.MaxLimit;
        if (feed.Observe(c, m, most) is not { } told)
        {
            return null;
        }

        if (!told.IsTrial)
        {
            Kept.Prove(told.Target, told.Trace.ThroughputPerSecond);
        }

        bool isKnown = told.Target == before && (told.Reason == DecisionReason.Hold || told.Reason == feed.Told);
        feed.Told = told.Reason;
        if (isKnown)
        {
            return null;
        }

        // The trace is the controller's own: it holds the values on which a state or a refusal was decided.
        _unchangedSince = c.Now;
        return told.Trace with { Reason = told.Reason, ClassName = Settings.Name };
    }

    private ControllerTrace Say(in ClassObservation c, in MachineObservation m, in SizeProposal p)
    {
        _unchangedSince = c.Now;
        return new()
        {
            ClassName = Settings.Name,
            Reason = p.Reason,
            State = State,
            ThroughputPerSecond = double.IsNaN(p.RatePerSecond) ? 0 : p.RatePerSecond,
            Gain = p.Gain,
            Noise = p.Noise,
            Utilisation = m.UtilisationOf(c),
        };
    }

    private Rules Create(ClassSizeSettings settings, DecisionReason begins)
    {
        KeptSize kept = new(settings.StartLimit, _holdController as ISizeVerifier);
        TrialCost cost = new(kept, _kind);
        RampPolicy ramp = new(settings, kept, _kind, cost);
        return new(settings, kept, cost, new(settings), ramp, new(settings, kept, _kind, cost, _holdController), begins);
    }

    private static ClassSizeSettings Normalise(ClassSizeSettings settings, int maxLimit)
    {
        int max = Math.Max(1, maxLimit);
        return settings with { MaxLimit = max, StartLimit = Math.Clamp(settings.StartLimit, 1, max) };
    }

    // Cumulative, in seconds.
    private readonly record struct Sums(double Busy, double Long, double Empty);

    // Replaced as a whole when the bounds change, because earlier measurements no longer apply. The reason why the class begins is read once.
    private sealed record Rules(
        ClassSizeSettings Settings, KeptSize Kept, TrialCost Cost, LentRule Lent, RampPolicy Ramp, HoldPolicy Hold, DecisionReason? Begins);
}
