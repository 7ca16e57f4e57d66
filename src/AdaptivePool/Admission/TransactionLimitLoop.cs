using AdaptivePool.Diagnostics;

namespace AdaptivePool.Admission;

/// <summary>
/// Looks at an adaptive gate now and then, on a thread of its own, and sets the limit that its policy wants; or, in monitor-only mode, notes what it would have
/// been. Sleeps for good while no transaction ends: the next one that does wakes it. Except in a fleet: the others must see that it is there.
/// </summary>
internal sealed class TransactionLimitLoop<TSync> : IDisposable
    where TSync : struct, ISync
{
    /// <summary>A look this much later than wanted: the process stood still.</summary>
    private static readonly TimeSpan s_pause = TimeSpan.FromSeconds(2);

    /// <summary>How long after a look that failed.</summary>
    private static readonly TimeSpan s_retry = TimeSpan.FromSeconds(1);

    private readonly GateCore<TSync> _gate;
    private readonly Action<ControllerTrace, Action<Exception>> _tell;
    private readonly Action<string> _warn;
    private readonly TimerThread<TSync>? _thread;
    private readonly DecisionLog? _log;
    private readonly GateMetrics _metrics;
    private readonly ILimitPolicy _policy;
    private readonly bool _isMonitorOnly;

    // Of those that have ended, what transactions of many threads are counted by. Statistics: nothing depends on their order.
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
    /// <param name="tell">Tells whoever listens of a change, and what they throw. Must not throw.</param>
    /// <param name="warn">Told once when the decision log cannot be written, and once when a look fails. Must not throw.</param>
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

            // Last: a collector may ask at once.
            _metrics = new GateMetrics(options.Name, () => (gate.Limit, Snapshot.Wanted, gate.Queued), options.MeterFactory);
        }
        catch
        {
            // The fleet and the meter are code of others. Nobody will know this loop, so nobody would give back its file and its place in the fleet.
            End();
            _log?.Dispose();
            throw;
        }

        _thread = isWatched ? new TimerThread<TSync>(options.Name + " gate limit", Look, hasWork: () => Counted != _counted, End) : null;
    }

    // Of the policy itself what changes without a decision: in a fleet another gate confirms what this one has tried along.
    public AdaptiveLimitSnapshot Snapshot => TSync.VolatileRead(ref _state) with
    {
        Verified = _policy.Verified,
        Ended = _ended.Value,
        Failed = _failed.Value,
        Fleet = _policy.Fleet,
        HandlerFaults = _handlerFaults.Value,
    };

    private long Counted => _ended.Value + _failed.Value;

    /// <summary>A pass has ended, or a lease that took a permit.</summary>
    /// <param name="hasFailed">See <see cref="TransactionLease.HasFailed"/>.</param>
    /// <param name="inside">How long it was inside, to some milliseconds; <see langword="null"/> where that is not known, of a pass.</param>
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

    /// <summary>Looks at the gate, and says when to look again; <see langword="null"/> when a transaction that ends will tell.</summary>
    public TimeSpan? Look()
    {
        try
        {
            return LookAtGate();
        }
        catch (Exception exception) when (exception is not OutOfMemoryException)
        {
            // Whatever goes wrong in a look, such as an assembly that is missing, the limit stays as it is, and there is a next look. Told once: it may go
            // wrong each time.
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
            // An open window goes on where transactions are inside; elsewhere the time says nothing.
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

        // False when another limit was set meanwhile: the next look sees that, and goes on from there.
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

        // Pairs with Snapshot: whoever sees the record sees its fields.
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

    // Any thread: that on which an asynchronous handler goes on, too.
    private void CountFault(Exception exception) => _handlerFaults.Add(1);

    private static IGateFleetMember JoinFleet(IGateFleet fleet, string gate) =>
        fleet.Join(gate) ?? throw new InvalidOperationException($"{fleet}.{nameof(fleet.Join)} returned null.");
}
