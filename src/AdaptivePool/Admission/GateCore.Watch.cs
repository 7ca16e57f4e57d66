namespace AdaptivePool.Admission;

/// <remarks>What happens with time: waits end, the gate looks stalled, the gate is closed.</remarks>
internal sealed partial class GateCore<TSync>
{
    /// <summary>
    /// A look that is later than this was held up together with everything else: the process was stopped, or its machine was suspended. The look cannot tell
    /// how long that lasted, only that it lasted at least as long as the look is late. A look on a busy machine may be as late. Then the alarm comes later.
    /// </summary>
    private static readonly TimeSpan s_late = TimeSpan.FromMilliseconds(100);

    /// <summary>
    /// After such a look, the alarm is not raised for this time, so that transactions can end. A look that is this late does not come from a machine that is
    /// only busy.
    /// </summary>
    private static readonly TimeSpan s_respite = TimeSpan.FromSeconds(1);

    private TimeSpan _progressAt;
    private TimeSpan _lookAt = TimeSpan.MaxValue;
    private TimeSpan _expectedAt = TimeSpan.MaxValue;
    private TimeSpan _alarmFrom;
    private bool _isStalled;
    private long _stalls;

    /// <summary>Ends waits that have lasted too long; <see langword="null"/> where <see cref="Look"/> is called by hand.</summary>
    public TimerThread<TSync>? Monitor { get; set; }

    /// <summary>Refuses the callers that have waited too long, and returns the time until the next look; <see langword="null"/> when no caller waits.</summary>
    /// <param name="stalledFor">How long no transaction has ended, if the alarm is to be raised.</param>
    /// <param name="queued">How many callers waited.</param>
    public TimeSpan? Look(out TimeSpan? stalledFor, out int queued)
    {
        stalledFor = null;
        using Decisions decisions = Decide();
        TimeSpan now = NowLocked();

        // Read before the overdue callers are refused. A stall shows only in them.
        queued = _queued;
        if (now - s_respite > _expectedAt || (now - s_late > _expectedAt && _alarmFrom < _progressAt + _options.StallAfter))
        {
            // If every look is a little late, this postpones the alarm only once. Otherwise there would never be an alarm.
            _alarmFrom = now + s_respite;
        }

        if (queued > 0 && !_isStalled && now >= _alarmFrom && now - _progressAt is var silence && silence >= _options.StallAfter)
        {
            _isStalled = true;
            _stalls++;
            stalledFor = silence;
        }

        (TimeSpan waitLimit, RefusalReason reason) = _overload.Judge(now - _standingSince);
        RefuseThose(waitLimit, reason, now);
        TimeSpan? next = NextLook(now);
        _expectedAt = _lookAt = now + next ?? TimeSpan.MaxValue;
        return next;
    }

    /// <summary>Refuses the callers that wait, and closes the gate for all later callers.</summary>
    public void Close()
    {
        using (Decide())
        {
            if (_disposed != 0)
            {
                return;
            }

            // From here on all callers take the slow way, so that no caller enters without reading the field under the lock.
            TSync.RelaxedWrite(ref _disposed, 1);
            _permits.SetSlow();
            RefuseThose(waitLimit: TimeSpan.Zero, RefusalReason.Disposed, NowLocked());
        }

        LimitLoop?.Dispose();
        Monitor?.Dispose();
    }

    /// <summary>Refuses the callers that have waited for the limit or longer.</summary>
    private void RefuseThose(TimeSpan waitLimit, RefusalReason reason, TimeSpan now)
    {
        foreach (WaiterQueue<TSync> queue in _queues)
        {
            while (queue.TakeOverdue(now, waitLimit) is { } overdue)
            {
                Refuse(overdue, reason, now);
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
        TimeSpan due = _progressAt + _options.StallAfter;
        TimeSpan alarm = (due > _alarmFrom ? due : _alarmFrom) - now;
        return _isStalled || next < alarm ? next : alarm;
    }

    /// <summary>
    /// When the caller that has waited longest began to wait. Valid only while a caller waits. A loop, because callers that enter or leave wait for it.
    /// </summary>
    private TimeSpan OldestSince()
    {
        TimeSpan oldest = TimeSpan.MaxValue;
        foreach (WaiterQueue<TSync> queue in _queues)
        {
            if (queue.Oldest is { } waiter && waiter.Since < oldest)
            {
                oldest = waiter.Since;
            }
        }

        return oldest;
    }

    /// <summary>Makes the monitor look in time for a caller that has just begun to wait. Under the lock.</summary>
    private void LookSoon(TimeSpan now)
    {
        if (_lookAt == TimeSpan.MaxValue && Monitor?.Wake() != false)
        {
            _lookAt = now;
        }
    }

    /// <summary>Restarts the time to the alarm: a permit has come back, or the first caller has begun to wait. Under the lock.</summary>
    private void Progress(TimeSpan now)
    {
        _progressAt = now;
        if (_isStalled)
        {
            // The monitor sleeps until the next wait ends. It did not expect to raise the alarm again.
            _isStalled = false;
            Monitor?.Wake();
        }
    }
}
