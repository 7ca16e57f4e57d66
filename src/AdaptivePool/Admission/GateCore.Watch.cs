namespace AdaptivePool.Admission;

/// <remarks>What time brings about: waits that end, a gate that looks stalled, the end of the gate.</remarks>
internal sealed partial class GateCore<TSync>
{
    /// <summary>
    /// A look that comes later than this was held up with everything else: the process was stopped, or its machine suspended. For how long, the look cannot
    /// say, only that it was no less than it is late. A busy machine may be as late, and pays with an alarm that comes later.
    /// </summary>
    private static readonly TimeSpan s_late = TimeSpan.FromMilliseconds(100);

    /// <summary>
    /// Transactions then have as long to end before the alarm is raised. A look as late as this does not come from a machine that is only busy.
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

    /// <summary>Refuses those that have waited too long, and says when to look again; <see langword="null"/> when nobody waits.</summary>
    /// <param name="stalledFor">How long no transaction has ended, when the alarm is to be raised.</param>
    /// <param name="queued">How many waited.</param>
    public TimeSpan? Look(out TimeSpan? stalledFor, out int queued)
    {
        stalledFor = null;
        using Decisions decisions = Decide();
        TimeSpan now = NowLocked();

        // Before the overdue are refused: a stall shows in nothing but them.
        queued = _queued;
        if (now - s_respite > _expectedAt || (now - s_late > _expectedAt && _alarmFrom < _progressAt + _options.StallAfter))
        {
            // Where every look is a little late, only once, or there would never be an alarm.
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

    /// <summary>Refuses those that wait, and all that come from now on.</summary>
    public void Close()
    {
        using (Decide())
        {
            if (_disposed != 0)
            {
                return;
            }

            // The slow way from here on, so that nobody enters without having seen it under the lock.
            TSync.RelaxedWrite(ref _disposed, 1);
            _permits.SetSlow();
            RefuseThose(waitLimit: TimeSpan.Zero, RefusalReason.Disposed, NowLocked());
        }

        LimitLoop?.Dispose();
        Monitor?.Dispose();
    }

    /// <summary>Those that have waited for the limit or longer.</summary>
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

    /// <summary>Since when the one that has waited longest waits; a caller must wait. A loop, because whoever enters or leaves waits for it.</summary>
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

    /// <summary>Sees to it that the monitor looks in time for one that has just begun to wait. Under the lock.</summary>
    private void LookSoon(TimeSpan now)
    {
        if (_lookAt == TimeSpan.MaxValue && Monitor?.Wake() != false)
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
            Monitor?.Wake();
        }
    }
}
