namespace AdaptivePool.Admission;

/// <remarks>What time brings about: waits that end, a gate that looks stalled, the end of the gate.</remarks>
public sealed partial class TransactionGate
{
    private readonly OverloadMonitor? _monitor;
    private TimeSpan _progressAt;
    private TimeSpan _lookAt = TimeSpan.MaxValue;
    private bool _isStalled;
    private long _stalls;
    private long _handlerFaults;

    /// <summary>
    /// The gate looks stalled: somebody waits, and no transaction has ended for <see cref="TransactionGateOptions.StallAfter"/> since the first one waited, also when earlier waits have ended in vain. Raised once until one ends, on a thread of the gate: a handler must return quickly; what it throws is
    /// counted in <see cref="GateSnapshot.HandlerFaults"/>. A handler, or whoever it calls, may raise <see cref="MaxTransactions"/> or <see cref="Cancel"/> leases.
    /// </summary>
    public event EventHandler<GateStalledEventArgs>? Stalled;

    /// <summary>Refuses those that have waited too long, raises the alarm, and says when to look again; <see langword="null"/> when nobody waits.</summary>
    internal TimeSpan? Look()
    {
        GateWaiter? decided;
        TimeSpan? next;
        TimeSpan? stalledFor = null;
        int queued;
        lock (_lock)
        {
            TimeSpan now = Now;

            // Before the overdue are refused: a stall shows in nothing but them.
            queued = _queued;
            if (queued > 0 && !_isStalled && now - _progressAt is var silence && silence >= _options.StallAfter)
            {
                _isStalled = true;
                _stalls++;
                stalledFor = silence;
            }

            RefuseOverdue(now);
            next = NextLook(now);
            _lookAt = now + next ?? TimeSpan.MaxValue;
            decided = TakeDecided();
        }

        Tell(decided);
        if (stalledFor is { } duration)
        {
            RaiseStalled(duration, queued);
        }

        return next;
    }

    private void RefuseOverdue(TimeSpan now)
    {
        OverloadVerdict verdict = _overload.Judge(now - _standingSince);
        foreach (WaiterQueue queue in _queues)
        {
            while (queue.TakeOverdue(now, verdict.WaitLimit) is { } overdue)
            {
                Decide(overdue, Refuse(verdict.Reason));
            }
        }
    }

    private TimeSpan? NextLook(TimeSpan now)
    {
        if (_queued == 0)
        {
            return null;
        }

        TimeSpan next = _overload.NextLook(now - _standingSince, now - OldestSince());
        TimeSpan alarm = _progressAt + _options.StallAfter - now;
        return _isStalled || next < alarm ? next : alarm;
    }

    /// <summary>Since when the one that has waited longest waits; somebody must wait. A loop, because whoever enters or leaves waits for it.</summary>
    private TimeSpan OldestSince()
    {
        TimeSpan oldest = TimeSpan.MaxValue;
        foreach (WaiterQueue queue in _queues)
        {
            if (queue.Oldest is { } waiter && waiter.Since < oldest)
            {
                oldest = waiter.Since;
            }
        }

        return oldest;
    }

    /// <summary>Sees to it that the monitor looks in time for one that has just begun to wait. Under the lock.</summary>
    private void LookSoon(TimeSpan now)
    {
        if (_lookAt == TimeSpan.MaxValue && _monitor?.Wake() != false)
        {
            _lookAt = now;
        }
    }

    /// <summary>A permit has come back, or the first one waits since then: the alarm starts anew. Under the lock.</summary>
    private void Progress(TimeSpan now)
    {
        _progressAt = now;
        if (_isStalled)
        {
            // The monitor sleeps until the next wait ends: it did not expect to have to raise the alarm again.
            _isStalled = false;
            _monitor?.Wake();
        }
    }

    private void RaiseStalled(TimeSpan duration, int queued)
    {
        try
        {
            Stalled?.Invoke(this, new GateStalledEventArgs(duration, queued, GetLeases()));
        }
        catch (Exception)
        {
            // A handler's fault must not end the thread that ends the waits. A statistic: nothing depends on its order.
            Interlocked.Increment(ref _handlerFaults);
        }
    }

    private void Close()
    {
        GateWaiter? decided;
        lock (_lock)
        {
            if (_disposed)
            {
                return;
            }

            // Pairs with the read in TryEnter. The slow way from here on, so that nobody enters without having seen it.
            Volatile.Write(ref _disposed, true);
            _permits.SetSlow();
            foreach (WaiterQueue queue in _queues)
            {
                while (queue.TakeOverdue(TimeSpan.MaxValue, TimeSpan.Zero) is { } waiter)
                {
                    Decide(waiter, Refuse(RefusalReason.Disposed));
                }
            }

            decided = TakeDecided();
        }

        Tell(decided);
        _monitor?.Dispose();
    }
}
