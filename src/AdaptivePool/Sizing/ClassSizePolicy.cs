using AdaptivePool.Control;

namespace AdaptivePool.Sizing;

/// <summary>
/// Finds the limit of one work class: called at every tick on virtual or real time, pure and deterministic. The order of the voices is the order of safety: the
/// user, hogs, loans, the ramp, the hold controller.
/// </summary>
internal sealed partial class ClassSizePolicy
{
    private readonly IPoolController? _fixed;
    private readonly KindRule _kind;
    private readonly RateNoise _noise;
    private KeptSize _kept;
    private TrialCost _cost;
    private LentRule _lent;
    private RampPolicy _ramp;
    private HoldPolicy _hold;
    private readonly IPoolController? _holdController;
    private ClassSizeSettings _settings;
    private DecisionReason? _pending = DecisionReason.Initial;
    private int _limit;
    private bool _holding;
    private TimeSpan _unchangedSince;
    private TimeSpan _decidedAt;

    /// <summary>Creates the policy of a class nothing is known about.</summary>
    /// <param name="settings">Bounds and constants.</param>
    /// <param name="holdController">Steers once the ramp rests; null keeps the verified size, a <see cref="FixedController"/> its own size always.</param>
    public ClassSizePolicy(ClassSizeSettings settings, IPoolController? holdController)
    {
        _settings = Normalise(settings, settings.MinLimit, settings.MaxLimit);
        _fixed = holdController as FixedController;
        _holdController = holdController;
        _kind = new();
        _noise = new(_settings);
        _kept = new(_settings.StartLimit);
        _lent = new(_settings);
        _cost = new(_settings, _kept, _kind);
        _ramp = new(_settings, _kept, _kind, _cost, _noise);
        _hold = new(_settings, _kept, _kind, _cost, holdController);
        _limit = _settings.StartLimit;

        // Work in flight needs workers whatever a search tries.
        _feed = IWholeController.Is(holdController) && !_settings.InFlight ? new(holdController!, _settings.IdleTimeout, _limit) : null;
    }

    /// <summary>The size kept by a measurement; the start size while nothing was measured.</summary>
    public int Verified => _fixed is not null ? _limit : _kept.Size;

    /// <summary>Some size was measured and kept.</summary>
    public bool IsProven => _kept.IsProven;

    /// <summary>No better size than the kept one is known.</summary>
    public bool IsVerified => _fixed is null && _kept.IsVerified;

    /// <summary>The class reads as a CPU hog: its limits count for the sum that hogs may have.</summary>
    public bool IsHog => _kind.Burns;

    /// <summary>
    /// A size nobody has verified is in force. Until it is verified or given up the policy needs its ticks, even when nothing waits any more: the next burst
    /// must not meet it.
    /// </summary>
    public bool HoldsUnverified => _fixed is null && (_lent.IsOpen || (_feed?.WantsLooks ?? (!_holding && _ramp.Phase == RampPhase.Trial)));

    /// <summary>When the policy wants the next look.</summary>
    /// <param name="c">What is known about the class.</param>
    public TimeSpan NextLook(in ClassObservation c) =>
        c.Demand == 0 || c.Now - _unchangedSince > TickRule.Calm ? TickRule.Longest
            : TickRule.Next(_fixed is null && (_holding || _feed is not null) && !_lent.IsOpen, _lent.StallTime(c));

    /// <summary>What the policy is doing, in words.</summary>
    public string State => _fixed is not null ? "Fixed"
        : _lent.IsOpen ? "Loan"
        : _feed is not null ? _feed.State
        : _holding ? (_kind.Burns ? "Hog" : "Hold")
        : _ramp.Phase switch
        {
            RampPhase.Baseline => nameof(RampPhase.Baseline),
            RampPhase.Step => nameof(RampPhase.Step),
            RampPhase.Trial => nameof(RampPhase.Trial),
            _ => nameof(RampPhase.Rest),
        };

    /// <summary>New bounds from the user: what was measured inside them stays the starting point, everything else is measured again.</summary>
    /// <param name="minLimit">Lowest limit, one or more.</param>
    /// <param name="maxLimit">Highest limit, not under <paramref name="minLimit"/>.</param>
    public void Resize(int minLimit, int maxLimit)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(minLimit, 1);
        ArgumentOutOfRangeException.ThrowIfLessThan(maxLimit, minLimit);
        _limit = Math.Clamp(Verified, minLimit, maxLimit);
        _settings = Normalise(_settings, minLimit, maxLimit) with { StartLimit = _limit };
        _kept = new(_limit);
        _lent = new(_settings);
        _cost = new(_settings, _kept, _kind);
        _ramp = new(_settings, _kept, _kind, _cost, _noise);
        _hold = new(_settings, _kept, _kind, _cost, _holdController);
        _holding = false;
        _pending = DecisionReason.ManualResize;
    }

    /// <summary>Decides at one tick.</summary>
    /// <param name="c">What is known about the class.</param>
    /// <param name="m">What is known about the machine.</param>
    public ClassDecision Decide(in ClassObservation c, in MachineObservation m)
    {
        _settings.Cores = m.Cores > 0 ? m.WholeCores : _settings.Cores;
        if (c.Demand == 0 || c.Now - _decidedAt > TickRule.Rare)
        {
            // Nothing waited for a while: what comes now is new.
            _unchangedSince = c.Now;
        }

        double seconds = (c.Now - _decidedAt).TotalSeconds;
        _decidedAt = c.Now;
        if (_fixed is not null)
        {
            return Fixed(c);
        }

        int before = WithLent(_limit);
        ClassDecision decision = DecideOnce(c, m, seconds);
        int limit = WithLent(_limit);
        if (decision.Trace is null && limit != before)
        {
            decision = Say(c, m, new(_limit, limit > before ? DecisionReason.StallLoan : DecisionReason.LoanRepaid));
        }

        return decision.Trace is { } trace
            ? new(limit, decision.Reason, trace with { From = decision.Reason == DecisionReason.Initial ? c.Limit : before, To = limit })
            : decision with { Limit = limit };
    }

    private int WithLent(int limit) => (int)Math.Min((long)limit + _lent.Threads, _settings.MaxLimit);

    private ClassDecision DecideOnce(in ClassObservation c, in MachineObservation m, double seconds)
    {
        if (_pending is { } reason)
        {
            _pending = null;
            _lent.Track(c);
            return Begin(c, m, reason);
        }

        _kind.Observe(c, m);
        if (_feed is null && _kind.Burns && _limit + _lent.Stalled > _settings.HogLimit && (_kind.BurnsLasting || _limit + _lent.Stalled > Verified))
        {
            return CapHogs(c, m);
        }

        // All others see the class without its stuck workers and what was lent for them.
        ClassObservation moving = c with { Limit = Math.Max(1, c.Limit - _lent.Stuck), Active = c.Active - Math.Min(c.Active, _lent.Stuck) };
        _cost.Observe(moving);
        _noise.Observe(moving);
        bool wasOpen = _lent.IsOpen;
        int lent = _lent.Stalled;
        LentEnd end = _lent.Observe(c, m, _limit, _kept.Size, isCold: _feed is null && !_kept.IsProven, mayGrow: !_kind.Burns);
        if (_lent.IsOpen)
        {
            return wasOpen ? Quiet() : Interrupt();
        }

        if (_feed is not null)
        {
            return end == LentEnd.None ? DecideWhole(_feed, moving, m) : Say(c, m, new(_feed.Size, DecisionReason.LoanRepaid));
        }

        if (end == LentEnd.Returned)
        {
            _ramp.Remeasure(c.Now);
            return Say(c, m, new(_kept.Size, DecisionReason.LoanRepaid));
        }

        if (end == LentEnd.Verify)
        {
            _limit = (int)Math.Min((long)_limit + lent, _settings.MaxLimit);
            _ramp.BeginLoanTrial(c.Now, _limit);
        }

        return Steer(moving, m, seconds, !_kind.Burns);
    }

    private ClassDecision Begin(in ClassObservation c, in MachineObservation m, DecisionReason reason)
    {
        if (_feed is not null)
        {
            _feed.Put(_limit);
            return Say(c, m, new(_limit, reason));
        }

        // A user's large start may be too large for a server: below it a look is cheap.
        _ramp.Restart(c.Now, _limit, probeDown: reason == DecisionReason.Initial);
        return Say(c, m, new(_limit, reason));
    }

    // A stall has begun: what is measured from now on is of no size that was decided.
    private ClassDecision Interrupt()
    {
        _feed?.Interrupt();
        _holding = false;
        return Quiet();
    }

    private ClassDecision Steer(in ClassObservation c, in MachineObservation m, double seconds, bool mayGrow)
    {
        if (_ramp.Observe(c, m, mayGrow) is { } proposal)
        {
            _holding = false;
            return Say(c, m, proposal);
        }

        if (_ramp.Phase != RampPhase.Rest)
        {
            if (_holding)
            {
                _holding = false;
                return _limit == _kept.Size ? Quiet() : Say(c, m, new(_kept.Size, DecisionReason.Reinitialized));
            }

            return Quiet();
        }

        if (!_holding)
        {
            if (_ramp.RetriesSoon(c.Now))
            {
                return Quiet();
            }

            _holding = true;
            _hold.Begin(c.Now);
        }

        int bound = mayGrow ? _settings.MaxLimit : Math.Max(_settings.HogLimit, _kept.Size);
        bool isOver = _hold.Observe(c, m, seconds, bound, out SizeProposal? held);
        if (held is not { } h)
        {
            return Quiet();
        }

        if (isOver)
        {
            _holding = false;
            _ramp.Restart(c.Now, h.Limit, probeDown: h.Gain < 0);
            return Say(c, m, h);
        }

        return h.Limit == _limit && h.Reason != DecisionReason.InvalidSample ? Quiet() : Say(c, m, h);
    }

    private ClassDecision CapHogs(in ClassObservation c, in MachineObservation m)
    {
        int size = !_kind.BurnsLasting || Verified <= _settings.HogLimit ? Verified : _settings.HogLimit;
        bool trial = !_lent.IsOpen && !_holding && _ramp.Phase == RampPhase.Trial;
        _lent.Cancel(c.Now);
        _holding = false;
        if (trial && size == _kept.Size)
        {
            _ramp.Refuse(c.Now, retry: true);
        }
        else
        {
            _ramp.Restart(c.Now, size);
        }

        return Say(c, m, new(size, DecisionReason.HogCap));
    }

    private ClassDecision Fixed(in ClassObservation c)
    {
        SizeDecision decision = _fixed!.Update(new()
        {
            Elapsed = TimeSpan.FromSeconds(1),
            Completions = 0,
            Target = Math.Max(1, _limit),
            MinTarget = _settings.MinLimit,
            MaxTarget = _settings.MaxLimit,
        });
        DecisionReason reason = _pending ?? DecisionReason.Hold;
        _pending = null;
        _limit = decision.Target;
        ControllerTrace? trace = reason == DecisionReason.Hold ? null
            : decision.Trace with { At = c.Now, ClassName = _settings.Name, From = c.Limit, Reason = reason };
        return new(_limit, reason, trace);
    }

    private ClassDecision Quiet() => new(_limit, DecisionReason.Hold, Trace: null);

    private ClassDecision Say(in ClassObservation c, in MachineObservation m, in SizeProposal p)
    {
        _unchangedSince = c.Now;
        _limit = Math.Clamp(p.Limit, _settings.MinLimit, _settings.MaxLimit);
        return new(_limit, p.Reason, new ControllerTrace
        {
            At = c.Now,
            ClassName = _settings.Name,
            Reason = p.Reason,
            State = State,
            ThroughputPerSecond = double.IsNaN(p.RatePerSecond) ? 0 : p.RatePerSecond,
            Gain = p.Gain,
            Noise = p.Noise,
            Utilisation = m.UtilisationOf(c),
        });
    }

    private static ClassSizeSettings Normalise(ClassSizeSettings settings, int minLimit, int maxLimit)
    {
        int max = Math.Max(1, maxLimit);
        int min = Math.Clamp(minLimit, 1, max);
        return settings with { MinLimit = min, MaxLimit = max, StartLimit = Math.Clamp(settings.StartLimit, min, max) };
    }
}
