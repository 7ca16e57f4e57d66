using AdaptivePool.Diagnostics;

namespace AdaptivePool.Admission;

/// <summary>
/// Looks at an adaptive gate now and then, on a thread of its own, and sets the limit that its policy wants. In monitor-only mode, it only notes what that
/// limit would have been. While no transaction ends, the thread sleeps, and the next transaction that ends wakes it. In a fleet the looks go on even then:
/// the other gates must see that the gate is there.
/// </summary>
internal sealed class TransactionLimitLoop<TSync> : IDisposable
    where TSync : struct, ISync
{
    /// <summary>If a look comes this much later than wanted, the process stood still.</summary>
    private static readonly TimeSpan s_pause = TimeSpan.FromSeconds(2);

    /// <summary>The time from a look that failed to the next one.</summary>
    private static readonly TimeSpan s_retry = TimeSpan.FromSeconds(1);

    private readonly GateCore<TSync> _gate;
    private readonly Action<ControllerTrace, Action<Exception>> _tell;
    private readonly Action<string> _warn;
    private readonly TimerThread<TSync>? _thread;
    private readonly DecisionLog? _log;
    private readonly GateMetrics _metrics;
    private readonly ILimitPolicy _policy;
    private readonly bool _isMonitorOnly;

    // Counters of the transactions that have ended, for many threads. Statistics: nothing depends on their order.
    private readonly StripedCounter _ended = new();
    private readonly StripedCounter _failed = new();
    private readonly StripedCounter _timed = new();
    private readonly StripedCounter _insideTicks = new();
    private readonly StripedCounter _failedTicks = new();
    private readonly PaddedCounter _handlerFaults = new();

    // Only the loop uses these.
    private long _counted;
    private TimeSpan _expectedAt = TimeSpan.MaxValue;
    private bool _wasIdle = true;
    private bool _hasFailed;

    // Written by the loop, read by any thread.
    private AdaptiveLimitSnapshot _state;

    /// <summary>Creates a loop.</summary>
    /// <param name="gate">The gate.</param>
    /// <param name="options">Its settings.</param>
    /// <param name="tell">Tells the handlers of a change, and passes what they throw to its second argument. Must not throw.</param>
    /// <param name="warn">Called once when the decision log cannot be written, and once when a look fails. Must not throw.</param>
    /// <param name="isWatched">Whether there is a thread; without one <see cref="Look"/> is called by hand.</param>
    public TransactionLimitLoop(
        GateCore<TSync> gate, TransactionGateOptions options, Action<ControllerTrace, Action<Exception>> tell, Action<string> warn, bool isWatched)
    {
        _gate = gate;
        _tell = tell;
        _warn = warn;
        _isMonitorOnly = options.AdaptiveMonitorOnly;
        HillClimbingOptions search =
            options.HillClimbing ?? (options.Fleet is null ? TransactionLimitPolicy.DefaultOptions : FleetLimitPolicy.DefaultOptions);
        IPoolController controller = new HillClimbingController(search);
        if (options.DecisionLogFile is { } path && search.LogEnabled && !_isMonitorOnly)
        {
            _log = new DecisionLog(path, DecisionLogHeader.ForHillClimbing(search), warn);
            controller = new LoggingController(controller, options.Name, _log.Write, () => gate.Now);
        }

        (int start, int lowest, int highest) = (options.StartLimit, options.MinLimit, options.MaxLimit);
        try
        {
            _policy = options switch
            {
                { AdaptiveMonitorOnly: true } => new LimitEstimateRule(),
                { Fleet: { } fleet } => new FleetSight(
                    new FleetLimitPolicy(FleetIdentity.Create(), controller, start, lowest, highest), JoinFleet(fleet, options.Name)),
                _ => new TransactionLimitPolicy(controller, start, lowest, highest),
            };
            _state = new AdaptiveLimitSnapshot
            {
                IsMonitorOnly = _isMonitorOnly,
                Wanted = _policy.Limit,
                Verified = _policy.Verified,
                Reason = DecisionReason.Initial,
                State = "",
                PerSecond = double.NaN,
                Ended = 0,
                Failed = 0,
                Changes = 0,
                WouldWait = 0,
                HandlerFaults = 0,
            };

            // Created last, because a collector may ask at once.
            _metrics = new GateMetrics(options.Name, () => (gate.Limit, Snapshot.Wanted, gate.Queued), options.MeterFactory);
        }
        catch
        {
            // The fleet and the meter run code of others, which may throw. No code gets this loop then, so its file and its place in the fleet are released
            // here.
            End();
            _log?.Dispose();
            throw;
        }

        _thread = isWatched ? new TimerThread<TSync>(options.Name + " gate limit", Look, hasWork: () => Counted != _counted, End) : null;
    }

    // These values come from the policy itself where they change without a decision: in a fleet, another gate confirms the limit that this gate has tried
    // along.
    public AdaptiveLimitSnapshot Snapshot => TSync.VolatileRead(ref _state) with
    {
        Verified = _policy.Verified,
        Ended = _ended.Value,
        Failed = _failed.Value,
        Fleet = _policy.Fleet,
        HandlerFaults = _handlerFaults.Value,
    };

    private long Counted => _ended.Value + _failed.Value;

    /// <summary>Counts a pass that has ended, or a transaction that took a permit.</summary>
    /// <param name="hasFailed">See <see cref="TransactionLease.HasFailed"/>.</param>
    /// <param name="inside">How long it was inside, to some milliseconds; <see langword="null"/> for a pass, where that is not known.</param>
    public void Count(bool hasFailed, TimeSpan? inside)
    {
        int thread = Environment.CurrentManagedThreadId;
        if (inside is { } time)
        {
            (hasFailed ? _failedTicks : _insideTicks).Add(thread, time.Ticks);
            if (!hasFailed)
            {
                _timed.Increment(thread);
            }
        }

        (hasFailed ? _failed : _ended).Increment(thread);
        _thread?.WakeUp();
    }

    /// <summary>Looks at the gate, and returns the time until the next look; <see langword="null"/> when the next transaction that ends causes it.</summary>
    public TimeSpan? Look()
    {
        try
        {
            return LookAtGate();
        }
        catch (Exception exception) when (exception is not OutOfMemoryException)
        {
            // Whatever fails in a look, such as a missing assembly, the limit stays as it is, and there is a next look. The warning is given once, because
            // each look may fail.
            if (!_hasFailed)
            {
                _hasFailed = true;
                _warn($"The gate could not look for its limit, which stays as it is until a look succeeds: {exception.Message}");
            }

            return s_retry;
        }
    }

    private TimeSpan? LookAtGate()
    {
        long counted = Counted;
        if (counted == _counted && !_policy.MustLook)
        {
            // An open window continues while transactions are inside or wait. Otherwise the time says nothing.
            _wasIdle = _gate.Queued == 0 && _gate.Held == 0;
            _expectedAt = TimeSpan.MaxValue;
            return null;
        }

        _counted = counted;
        LimitObservation now = Observe();
        TimeSpan next = Steer(now);
        _expectedAt = now.Now + next;
        _wasIdle = false;
        return next;
    }

    public void Dispose()
    {
        if (_thread is null)
        {
            End();
        }

        _thread?.Dispose();
        _metrics.Dispose();
        _log?.Dispose();
    }

    private void End() => (_policy as IDisposable)?.Dispose();

    private LimitObservation Observe()
    {
        LimitObservation gate = _gate.Observe();
        return gate with
        {
            Timed = _timed.Value,
            InsideSeconds = TimeSpan.FromTicks(_insideTicks.Value).TotalSeconds,
            FailedSeconds = TimeSpan.FromTicks(_failedTicks.Value).TotalSeconds,
            Ended = _ended.Value,
            Failed = _failed.Value,
            IsInterrupted = _wasIdle || (_expectedAt < TimeSpan.MaxValue && gate.Now - _expectedAt > s_pause),
        };
    }

    private TimeSpan Steer(in LimitObservation now)
    {
        int from = _isMonitorOnly ? _policy.Limit : now.Limit;
        LimitDecision decision = _policy.Observe(now);

        // False when another limit was set meanwhile: the next look sees that limit, and continues from it.
        bool isChanged = decision.Limit != from && (_isMonitorOnly || _gate.SetLimit(decision.Limit, expected: from));
        if (decision.Trace is { } trace)
        {
            Publish(trace with { From = isChanged ? from : trace.From, To = decision.Limit, Reason = decision.Reason, At = now.Now }, isChanged);
        }

        return decision.LookAgain;
    }

    private void Publish(ControllerTrace trace, bool isChanged)
    {
        AdaptiveLimitSnapshot before = _state;

        // Pairs with Snapshot: code that sees the record sees its fields.
        TSync.VolatileWrite(ref _state, before with
        {
            Wanted = trace.To,
            Reason = isChanged || trace.Reason == DecisionReason.ManualResize ? trace.Reason : before.Reason,
            State = trace.State,
            PerSecond = _policy.PerSecond,
            WouldWait = _policy.WouldWait,
            Changes = before.Changes + (isChanged ? 1 : 0),
        });
        try
        {
            _metrics.Count(trace.Reason, isApplied: isChanged && !_isMonitorOnly);
        }
        catch (Exception exception)
        {
            // The fault of a meter listener must not end the thread that steers.
            CountFault(exception);
        }

        if (isChanged)
        {
            _tell(trace, CountFault);
        }
    }

    // Called on any thread, also on the thread on which an asynchronous handler continues.
    private void CountFault(Exception exception) => _handlerFaults.Add(1);

    private static IGateFleetMember JoinFleet(IGateFleet fleet, string gate) =>
        fleet.Join(gate) ?? throw new InvalidOperationException($"{fleet}.{nameof(fleet.Join)} returned null.");
}
