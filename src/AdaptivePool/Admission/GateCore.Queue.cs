namespace AdaptivePool.Admission;

/// <remarks>
/// The slow way: entering a full gate, waiting, and who is next. Everything here is decided under one lock; those that waited are told after it.
/// </remarks>
internal sealed partial class GateCore<TSync>
{
    private readonly object _lock = new();
    private readonly WaiterQueue<TSync>[] _queues;
    private readonly GroupMap _groups;
    private readonly int[] _heldByGroup;
    private readonly int[] _waitingByGroup;
    private readonly GroupShareRule _shares;
    private readonly ControlledDelayPolicy _overload;
    private readonly DrainRateRule _drain = new();
    private readonly long[] _refused = new long[Enum.GetValues<RefusalReason>().Length];
    private int _queued;

    /// <summary>
    /// From the first one that waits until a permit has come back and nobody waits: then the clock of the alarm and that of the drain rate run, also while all
    /// waits have ended in vain.
    /// </summary>
    private bool _isPressed;
    private int _turn;

    /// <summary>Where the next place in the list of transactions is looked for.</summary>
    private int _place;
    private TimeSpan _standingSince;
    private TimeSpan _latest;
    private GateAnswer<TSync>? _decided;

    /// <summary>Waiters to be used again: as many as ever waited at once.</summary>
    private GateWaiter<TSync>? _spare;
    private long _admittedAfterWait;
    private long _cancelled;
    private long _kickUps;

    /// <summary>Enters, or is refused.</summary>
    public LeaseKey<TSync> EnterOrRefuse(in TransactionRequest request, out RefusedLease? refusal)
    {
        TSync.Enter(_lock);
        try
        {
            LeaseKey<TSync> key = TakeLocked(request, EnterGroup(request), elseSlow: false);
            refusal = key.Hold is null ? Refuse(RefusalReason.GateFull, NowLocked()) : null;
            return key;
        }
        finally
        {
            TSync.Exit(_lock);
        }
    }

    /// <summary>Enters, or is refused, or waits.</summary>
    /// <param name="request">Who asks.</param>
    /// <param name="answer">Gets what is decided; completed only if it waits.</param>
    /// <param name="token">Ends the wait; whoever heeds it does so already, and calls <see cref="CancelWait"/>.</param>
    /// <returns>Whether it waits. If not, and nothing was decided, the token was cancelled.</returns>
    public bool EnterOrWait(in TransactionRequest request, GateAnswer<TSync> answer, CancellationToken token)
    {
        bool waits = false;
        GateAnswer<TSync>? decided = null;

        // Before the lock, for which others wait; so it may be older than what they have written.
        TimeSpan now = _clock.Now;
        TSync.Enter(_lock);
        try
        {
            int group = EnterGroup(request);
            LeaseKey<TSync> key = TakeLocked(request, group, elseSlow: _options.QueueLimit > 0);
            if (key.Hold is not null)
            {
                answer.Admit(key);
            }
            else if (token.IsCancellationRequested)
            {
                // Its callback came before there was a wait to end; one that comes later finds the wait.
                _cancelled++;
            }
            else
            {
                now = NotBefore(now);
                waits = HasPlace(group, request.Priority, now);
                if (waits)
                {
                    Enqueue(request, group, now, answer);
                }
                else
                {
                    answer.Refuse(Refuse(RefusalReason.QueueFull, now));
                }

                decided = TakeDecided();
            }
        }
        finally
        {
            TSync.Exit(_lock);
        }

        Tell(decided);
        return waits;
    }

    /// <summary>Ends a wait by the wish of the one that waits.</summary>
    public void CancelWait(GateAnswer<TSync> answer, CancellationToken token)
    {
        TSync.Enter(_lock);
        try
        {
            if (answer.Waiter is not { } waiter)
            {
                return;
            }

            _queues[waiter.Group].Remove(waiter);
            _cancelled++;
            Leave(waiter, NowLocked());
        }
        finally
        {
            TSync.Exit(_lock);
        }

        answer.Complete(token);
    }

    /// <summary>Changes the limit.</summary>
    /// <param name="limit">The new one.</param>
    /// <param name="expected">The one in force, if it matters: with another one nothing is done.</param>
    /// <returns>Whether it is in force.</returns>
    public bool SetLimit(int limit, int? expected = null)
    {
        GateAnswer<TSync>? decided;
        TSync.Enter(_lock);
        try
        {
            if (expected is { } wanted && _permits.Limit != wanted)
            {
                return false;
            }

            TimeSpan now = NowLocked();
            CountWaiting(now);

            // Under the lock, so that no newcomer takes the new room before those that wait.
            _permits.SetLimit(limit);
            decided = LetInLocked(ended: false, now, now);
        }
        finally
        {
            TSync.Exit(_lock);
        }

        Tell(decided);
        return true;
    }

    /// <summary>The group of a request; throws when the gate was closed before the lock was taken.</summary>
    private int EnterGroup(in TransactionRequest request)
    {
        ObjectDisposedException.ThrowIf(_disposed != 0, typeof(TransactionGate));
        return !_isDivided ? 0 : request.Partition is { } partition ? _groups.Of(partition) : (_turn = (_turn + 1) % _groups.Common);
    }

    private LeaseKey<TSync> TakeLocked(in TransactionRequest request, int group, bool elseSlow)
    {
        // Waiters go first. A permit that is free while a caller waits is for that caller; the thread that gave it back is on the way to this lock. Where
        // shares are bounds, others may wait because theirs are used up.
        bool mayTake = _options.BorrowsBetweenGroups || !_isDivided ? _queued == 0
            : _queues[group].Count == 0 && _shares.MayEnter(_permits.Limit, _heldByGroup[group], group);
        return mayTake && _permits.TryTakeExact(elseSlow) ? Register(request, group) : default;
    }

    private LeaseKey<TSync> Register(in TransactionRequest request, int group)
    {
        // Where permits are not divided, the fast way counts nobody here either.
        if (_isDivided)
        {
            _heldByGroup[group]++;
        }

        return _leases.Add(request, group, takesPermit: true, _clock.Coarse, ref _place);
    }

    /// <summary>
    /// Whether one more may wait. A group below its share of the queue gets a place of the longest; where the newest goes first, the oldest gives up its place
    /// for it.
    /// </summary>
    private bool HasPlace(int group, TransactionPriority priority, TimeSpan now)
    {
        if (_queued < _options.QueueLimit)
        {
            return true;
        }

        int longest = _isDivided ? _shares.GivesPlace(_options.QueueLimit, _waitingByGroup, group) : -1;
        GateWaiter<TSync>? leaver = longest >= 0 ? _queues[longest].TakeNewestOfLeast()
            : _queues[group].Count > 0 && _overload.IsNewestFirst(now - _standingSince) ? _queues[group].TakeLeast(priority)
            : null;
        if (leaver is null)
        {
            return false;
        }

        Decide(leaver, RefusalReason.QueueFull, now);
        return true;
    }

    private void Enqueue(in TransactionRequest request, int group, TimeSpan now, GateAnswer<TSync> answer)
    {
        if (_queued == 0)
        {
            _standingSince = now;
            _countedUntil = now;
        }

        if (!_isPressed)
        {
            _isPressed = true;
            _drain.Resume(now);
            Progress(now);
        }

        _permits.SetSlow();
        GateWaiter<TSync> waiter = _spare ?? new GateWaiter<TSync>();
        (_spare, waiter.Newer) = (waiter.Newer, null);
        (waiter.Request, waiter.Group, waiter.Since, waiter.Answer) = (request, group, now, answer);
        answer.Waiter = waiter;
        _queues[group].Add(waiter);
        _waitingByGroup[group]++;
        _queued++;
        LookSoon(now);
    }

    /// <summary>Lets in those that wait, as far as there are permits.</summary>
    /// <param name="ended">Whether a transaction has ended.</param>
    /// <param name="place">Where it was in the list, if it was.</param>
    private void LetIn(bool ended, int? place = null)
    {
        GateAnswer<TSync>? decided;
        TimeSpan since = _clock.Now;
        TSync.Enter(_lock);
        try
        {
            _place = place ?? _place;
            decided = LetInLocked(ended, since, NowLocked());
        }
        finally
        {
            TSync.Exit(_lock);
        }

        Tell(decided);
    }

    /// <summary>Lets in those that wait, as far as there are permits. Under the lock.</summary>
    /// <param name="ended">Whether a transaction has ended.</param>
    /// <param name="since">When it ended, or when there was reason to look.</param>
    /// <param name="now">The time.</param>
    private GateAnswer<TSync>? LetInLocked(bool ended, TimeSpan since, TimeSpan now)
    {
        if (ended && _isPressed)
        {
            Progress(now);
            _drain.Observe(now);
        }

        int admitted = 0;
        while (_queued > 0)
        {
            int group = _isDivided ? _shares.Next(_permits.Limit, _heldByGroup, _waitingByGroup, _turn) : 0;
            if (group < 0 || !_permits.TryTakeExact(elseSlow: true))
            {
                break;
            }

            GateWaiter<TSync> waiter = _queues[group].Take(now, _options.KickUpAfter, _overload.IsNewestFirst(now - _standingSince), out bool kickedUp);
            _kickUps += kickedUp ? 1 : 0;
            _turn = group + 1 < _queues.Length ? group + 1 : 0;
            admitted++;
            waiter.Answer!.Admit(Register(waiter.Request, group));
            AddDecided(waiter, now);
        }

        if (admitted > 0)
        {
            _admittedAfterWait += admitted;
            CountIdle(admitted, since, now);
        }

        if (_queued == 0 && (ended || _permits.HasRoom))
        {
            EndPressure(now);
        }

        return TakeDecided();
    }

    private RefusedLease Refuse(RefusalReason reason, TimeSpan now)
    {
        _refused[(int)reason]++;
        return new RefusedLease(reason, reason == RefusalReason.Disposed ? null : _drain.RetryAfter(_queued, now));
    }

    /// <summary>Refuses a waiter that has left its lane.</summary>
    private void Decide(GateWaiter<TSync> waiter, RefusalReason reason, TimeSpan now)
    {
        waiter.Answer!.Refuse(Refuse(reason, now));
        AddDecided(waiter, now);
    }

    private void AddDecided(GateWaiter<TSync> waiter, TimeSpan now)
    {
        GateAnswer<TSync> answer = waiter.Answer!;
        Leave(waiter, now);
        answer.Next = _decided;
        _decided = answer;
    }

    /// <summary>The time, for one that has the lock.</summary>
    private TimeSpan NowLocked() => NotBefore(_clock.Now);

    /// <summary>A time that was read before the lock was taken; or the latest that was used under it, because there time does not go back.</summary>
    private TimeSpan NotBefore(TimeSpan read)
    {
        _latest = read > _latest ? read : _latest;
        return _latest;
    }

    private void Leave(GateWaiter<TSync> waiter, TimeSpan now)
    {
        _waitingByGroup[waiter.Group]--;
        _queued--;
        if (_queued == 0)
        {
            CountWaited(now);
        }

        waiter.Answer!.Waiter = null;
        waiter.Answer = null;
        waiter.Request = default;
        waiter.Newer = _spare;
        _spare = waiter;
    }

    /// <summary>
    /// Opens the fast way. Not as soon as nobody waits: while the gate is full it helps nobody, and the next permit that comes back would be seen by nobody.
    /// </summary>
    private void EndPressure(TimeSpan now)
    {
        if (_isPressed)
        {
            _isPressed = false;
            _drain.Pause(now);
        }

        if (!_isDivided && _disposed == 0)
        {
            _permits.ClearSlow();
        }
    }

    private GateAnswer<TSync>? TakeDecided()
    {
        GateAnswer<TSync>? decided = _decided;
        _decided = null;
        return decided;
    }

    private static void Tell(GateAnswer<TSync>? decided)
    {
        while (decided is { } answer)
        {
            decided = answer.Next;
            answer.Next = null;
            answer.Complete();
        }
    }
}
