namespace AdaptivePool.Admission;

/// <remarks>
/// The slow way: entering a full gate, waiting, and which caller is next. Everything here is decided under one lock. The callers that waited are told after
/// the lock is released.
/// </remarks>
internal sealed partial class GateCore<TSync>
{
    private readonly SyncLock<TSync> _lock = new();
    private readonly WaiterQueue<TSync>[] _queues;

    /// <summary>Groups that partitions without a weight share; the first ones. Those with a weight have a group of their own.</summary>
    private readonly int _commonGroups;
    private readonly Dictionary<string, int> _namedGroups;
    private readonly int[] _heldByGroup;
    private readonly int[] _waitingByGroup;
    private readonly GroupShareRule _shares;
    private readonly ControlledDelayPolicy _overload;
    private readonly bool _newestFirst;
    private readonly DrainRateRule _drain = new();
    private readonly long[] _refused = new long[Enum.GetValues<RefusalReason>().Length];
    private int _queued;

    /// <summary>
    /// True from the first caller that waits until no caller waits and a permit has come back or is free. In this time the clocks of the alarm and of the
    /// drain rate run, even while all waits have ended without a permit.
    /// </summary>
    private bool _isPressed;
    private int _turn;

    /// <summary>The group that the last caller without a partition came to.</summary>
    private int _entered;

    /// <summary>Where the search for the next place in the list of transactions begins.</summary>
    private int _place;
    private TimeSpan _standingSince;
    private TimeSpan _latest;
    private GateAnswer<TSync>? _decided;

    /// <summary>Waiters to be used again: as many as ever waited at once.</summary>
    private readonly Stack<GateWaiter<TSync>> _spare = [];
    private long _admittedAfterWait;
    private long _cancelled;
    private long _kickUps;

    /// <summary>Lets the caller in, or refuses it.</summary>
    public LeaseHold<TSync>? EnterOrRefuse(in TransactionRequest request, out RefusedLease? refusal)
    {
        using Decisions decisions = Decide();
        LeaseHold<TSync>? hold = TakeLocked(request, EnterGroup(request), elseSlow: false);
        refusal = hold is null ? Refuse(RefusalReason.GateFull, NowLocked()) : null;
        return hold;
    }

    /// <summary>Lets the caller in, refuses it, or lets it wait.</summary>
    /// <param name="request">The request of the caller.</param>
    /// <param name="answer">Gets the decision. It is completed only if the caller waits.</param>
    /// <param name="token">Ends the wait. An answer that reacts to it has registered already, and calls <see cref="CancelWait"/>.</param>
    /// <returns>Whether the caller waits. If it does not, and nothing was decided, the token was cancelled.</returns>
    public bool EnterOrWait(in TransactionRequest request, GateAnswer<TSync> answer, CancellationToken token)
    {
        // Read before the lock is taken, because other callers wait for the lock. It may therefore be older than the times that they have written.
        TimeSpan now = _clock.Now;
        using Decisions decisions = Decide();
        int group = EnterGroup(request);
        if (TakeLocked(request, group, elseSlow: _options.QueueLimit > 0) is { } hold)
        {
            answer.Admit(hold);
            return false;
        }

        if (token.IsCancellationRequested)
        {
            // The callback of the token finds no wait to end. The callback of a token that is cancelled after this check finds the wait.
            _cancelled++;
            return false;
        }

        now = NotBefore(now);
        if (!HasPlace(group, request.Priority, now))
        {
            answer.Refuse(Refuse(RefusalReason.QueueFull, now));
            return false;
        }

        Enqueue(request, group, now, answer);
        return true;
    }

    /// <summary>Ends a wait at the request of the caller that waits.</summary>
    public void CancelWait(GateAnswer<TSync> answer, CancellationToken token)
    {
        using (Decide())
        {
            if (answer.Waiter is not { } waiter)
            {
                return;
            }

            WaiterQueue<TSync>.Remove(waiter);
            _cancelled++;
            Leave(waiter, NowLocked());
        }

        answer.Complete(token);
    }

    /// <summary>Changes the limit.</summary>
    /// <param name="limit">The new limit.</param>
    /// <param name="expected">The limit that must be in force, if that matters. If another limit is in force, the call has no effect.</param>
    /// <returns>Whether the new limit is in force.</returns>
    public bool SetLimit(int limit, int? expected = null)
    {
        using Decisions decisions = Decide();
        if (expected is { } wanted && _permits.Limit != wanted)
        {
            return false;
        }

        TimeSpan now = NowLocked();
        CountWaiting(now);

        // Under the lock, so that no newcomer takes the new room before the callers that wait.
        _permits.SetLimit(limit);
        LetInLocked(ended: false, now, now);
        return true;
    }

    /// <summary>The group of a request; throws when the gate was closed before the lock was taken.</summary>
    private int EnterGroup(in TransactionRequest request)
    {
        ObjectDisposedException.ThrowIf(_disposed != 0, typeof(TransactionGate));
        if (!_isDivided)
        {
            return 0;
        }

        if (request.Partition is not { } partition)
        {
            return _entered = (_entered + 1) % _commonGroups;
        }

        return _namedGroups.TryGetValue(partition, out int group) ? group : (int)((uint)partition.GetHashCode(StringComparison.Ordinal) % (uint)_commonGroups);
    }

    private LeaseHold<TSync>? TakeLocked(in TransactionRequest request, int group, bool elseSlow)
    {
        // Waiters go first. A permit that is free while a caller waits is for that caller, and the thread that gave it back is about to take this lock. Where
        // shares are bounds, callers of other groups may wait because the shares of their groups are used up.
        bool mayTake = _options.BorrowsBetweenGroups ? _queued == 0
            : _waitingByGroup[group] == 0 && _shares.MayEnter(_permits.Limit, _heldByGroup[group], group);
        return mayTake && _permits.TryTakeExact(elseSlow) ? Register(request, group) : null;
    }

    private LeaseHold<TSync> Register(in TransactionRequest request, int group)
    {
        // Where permits are not divided, the fast way does not count holders here, so the slow way does not either.
        if (_isDivided)
        {
            _heldByGroup[group]++;
        }

        return _leases.Add(request, group, takesPermit: true, _clock.Coarse, ref _place);
    }

    /// <summary>
    /// Whether one more caller may wait. A group below its share of the queue gets a place of the longest group. Where the newest goes first, an older waiter
    /// of the same group gives up its place to the newcomer.
    /// </summary>
    private bool HasPlace(int group, TransactionPriority priority, TimeSpan now)
    {
        if (_queued < _options.QueueLimit)
        {
            return true;
        }

        int longest = _shares.GivesPlace(_options.QueueLimit, _waitingByGroup, group);
        GateWaiter<TSync>? leaver = longest >= 0 ? _queues[longest].TakeNewestOfLeast()
            : _waitingByGroup[group] > 0 && _newestFirst ? _queues[group].TakeLeast(priority)
            : null;
        if (leaver is null)
        {
            return false;
        }

        Refuse(leaver, RefusalReason.QueueFull, now);
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
        GateWaiter<TSync> waiter = _spare.TryPop(out GateWaiter<TSync>? spare) ? spare : new GateWaiter<TSync>();
        (waiter.Request, waiter.Group, waiter.Since, waiter.Answer) = (request, group, now, answer);
        answer.Waiter = waiter;
        _queues[group].Add(waiter);
        _waitingByGroup[group]++;
        _queued++;
        LookSoon(now);
    }

    /// <summary>Lets in callers that wait, as long as there are permits.</summary>
    /// <param name="ended">Whether a transaction has ended.</param>
    /// <param name="place">The place of that transaction in the list, if it had one.</param>
    private void LetIn(bool ended, int? place = null)
    {
        TimeSpan since = _clock.Now;
        using Decisions decisions = Decide();
        _place = place ?? _place;
        LetInLocked(ended, since, NowLocked());
    }

    /// <summary>Lets in callers that wait, as long as there are permits. Under the lock.</summary>
    /// <param name="ended">Whether a transaction has ended.</param>
    /// <param name="since">When it ended, or when there was another reason to look.</param>
    /// <param name="now">The time.</param>
    private void LetInLocked(bool ended, TimeSpan since, TimeSpan now)
    {
        if (ended && _isPressed)
        {
            Progress(now);
            _drain.Observe(now);
        }

        int admitted = 0;
        while (_queued > 0)
        {
            int group = _shares.Next(_permits.Limit, _heldByGroup, _waitingByGroup, _turn);
            if (group < 0 || !_permits.TryTakeExact(elseSlow: true))
            {
                break;
            }

            GateWaiter<TSync> waiter = _queues[group].Take(now, _options.KickUpAfter, _newestFirst, out bool kickedUp);
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

        if (_queued > 0)
        {
            // If the system has refused the monitor a thread, this asks for one again, for the callers that still wait.
            LookSoon(now);
        }
        else if (ended || _permits.HasRoom)
        {
            EndPressure(now);
        }
    }

    private RefusedLease Refuse(RefusalReason reason, TimeSpan now)
    {
        _refused[(int)reason]++;
        return new RefusedLease(reason, reason == RefusalReason.Disposed ? null : _drain.RetryAfter(_queued, now));
    }

    /// <summary>Refuses a waiter that has left its lane.</summary>
    private void Refuse(GateWaiter<TSync> waiter, RefusalReason reason, TimeSpan now)
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

    /// <summary>The time, for code that holds the lock.</summary>
    private TimeSpan NowLocked() => NotBefore(_clock.Now);

    /// <summary>The time that was read, or the latest time that was used under the lock if that is later. Under the lock, time does not go back.</summary>
    private TimeSpan NotBefore(TimeSpan read)
    {
        _latest = read > _latest ? read : _latest;
        return _latest;
    }

    private void Leave(GateWaiter<TSync> waiter, TimeSpan now)
    {
        CountWaiting(now);
        _waitingByGroup[waiter.Group]--;
        _queued--;
        waiter.Answer!.Waiter = null;
        (waiter.Answer, waiter.Request) = (null, default);
        _spare.Push(waiter);
    }

    /// <summary>
    /// Opens the fast way. This does not happen as soon as no caller waits: while the gate is full the fast way helps no caller, and the gate would not
    /// notice the next permit that comes back.
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

    /// <summary>Takes the lock. Disposing the result releases it, and then completes the answers that were decided under it.</summary>
    private Decisions Decide() => new(this, _lock.Hold());

    private readonly ref struct Decisions(GateCore<TSync> gate, SyncLock<TSync>.Holder holder)
    {
        private readonly GateCore<TSync> _gate = gate;
        private readonly SyncLock<TSync>.Holder _holder = holder;

        public void Dispose()
        {
            GateAnswer<TSync>? decided = _gate._decided;
            _gate._decided = null;
            _holder.Dispose();
            while (decided is { } answer)
            {
                decided = answer.Next;
                answer.Next = null;
                answer.Complete();
            }
        }
    }
}
