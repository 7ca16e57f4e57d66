namespace AdaptivePool.Admission;

/// <remarks>What is counted, for administrators and dashboards.</remarks>
internal sealed partial class GateCore<TSync>
{
    private TimeSpan _countedUntil;
    private TimeSpan _letInAt;

    // In seconds: a million permits for eleven days are more than a TimeSpan holds.
    private double _slotSeconds;
    private double _idleSeconds;
    private long _nested;
    private long _handlerFaults;

    public int Queued
    {
        get
        {
            using SyncLock<TSync>.Holder held = _lock.Hold();
            return _queued;
        }
    }

    /// <summary>The transactions inside at one moment, oldest first.</summary>
    public IEnumerable<TransactionLeaseInfo> GetLeases() => _leases.ToList(_clock.AgeOf).OrderByDescending(static info => info.Age);

    /// <summary>A transaction inside; <see langword="null"/> when it has ended.</summary>
    public TransactionLeaseInfo? Describe(LeaseHold<TSync> hold, long turn) =>
        hold.Describe(_clock.AgeOf, out long found, out _) is { } info && found == turn ? info : null;

    /// <summary>The source that cancels the transaction with a number; <see langword="null"/> when it is not inside any more.</summary>
    public CancellationTokenSource? FindCancellation(long id) => _leases.HoldOf(id, out long turn) is { } hold ? CancellationOf(hold, turn) : null;

    /// <summary>The source that cancels a transaction; <see langword="null"/> when it has ended.</summary>
    public CancellationTokenSource? CancellationOf(LeaseHold<TSync> hold, long turn)
    {
        // Joined, so that the transaction does not end in the meantime.
        if (!hold.TryJoin(turn))
        {
            return null;
        }

        CancellationTokenSource cancellation = hold.Cancellation();
        Leave(hold, turn, isOuter: false);
        return cancellation;
    }

    // Statistics: no other memory depends on them.
    public void CountNested() => TSync.Add(ref _nested, 1);

    public void CountHandlerFault() => TSync.Add(ref _handlerFaults, 1);

    public GateSnapshot GetSnapshot()
    {
        using SyncLock<TSync>.Holder held = _lock.Hold();
        TimeSpan now = NowLocked();
        CountWaiting(now);
        return new GateSnapshot
        {
            Name = _options.Name,
            PermitLimit = _permits.Limit,
            Held = _permits.Held,
            Privileged = TSync.RelaxedRead(ref _privileged),
            Queued = _queued,
            OldestWait = _queued == 0 ? TimeSpan.Zero : now - OldestSince(),
            BusyWhileWaiting = _slotSeconds == 0 ? 1 : 1 - Math.Min(1, _idleSeconds / _slotSeconds),
            Admitted = _leases.Added,
            AdmittedPrivileged = TSync.RelaxedRead(ref _admittedPrivileged),
            AdmittedAfterWait = _admittedAfterWait,
            Nested = TSync.RelaxedRead(ref _nested),
            Cancelled = _cancelled,
            KickUps = _kickUps,
            Stalls = _stalls,
            HandlerFaults = TSync.RelaxedRead(ref _handlerFaults),
            Adaptive = LimitLoop?.Snapshot,
            Refused = Enum.GetValues<RefusalReason>().ToDictionary(static reason => reason, reason => _refused[(int)reason]),
        };
    }

    /// <summary>What the gate itself tells the adaptive limit. The rest comes from the counters of the limit loop.</summary>
    public LimitObservation Observe()
    {
        using SyncLock<TSync>.Holder held = _lock.Hold();
        return new LimitObservation
        {
            Now = NowLocked(),
            Limit = _permits.Limit,
            Held = _permits.Held,
            Queued = _queued,
            Admitted = _leases.Added - TSync.RelaxedRead(ref _admittedPrivileged),
            AdmittedAfterWait = _admittedAfterWait,
            TurnedAway = _refused[(int)RefusalReason.GateFull],
            Overflowed = _refused[(int)RefusalReason.QueueFull],
        };
    }

    /// <summary>
    /// Adds the time in which a caller waited: all slots should have been busy in it. Called before the limit changes, and before a waiter leaves.
    /// </summary>
    private void CountWaiting(TimeSpan now)
    {
        if (_queued > 0)
        {
            _slotSeconds += (now - _countedUntil).TotalSeconds * _permits.Limit;
            _countedUntil = now;
        }
    }

    /// <summary>
    /// Adds the time in which slots were free while a caller waited. It runs from the end of their transactions, but not from before a caller waited, and not
    /// from before free slots were last given away.
    /// </summary>
    private void CountIdle(int slots, TimeSpan since, TimeSpan now)
    {
        TimeSpan from = since > _standingSince ? since : _standingSince;
        _idleSeconds += (now - (from > _letInAt ? from : _letInAt)).TotalSeconds * slots;
        _letInAt = now;
    }
}
