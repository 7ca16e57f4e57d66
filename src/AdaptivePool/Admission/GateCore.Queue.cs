namespace AdaptivePool.Admission;

/// <remarks>
/// The slow way: entering a full gate, waiting, and which caller is next. Everything here is decided under one lock; those that waited are told after it.
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
    /// From the first one that waits until a permit has come back and nobody waits: then the clock of the alarm and that of the drain rate run, also while all
    /// waits have ended in vain.
    /// </summary>
    private bool _isPressed;
    private int _turn;

    /// <summary>The group that the last caller without a partition came to.</summary>
    private int _entered;

    /// <summary>Where the next place in the list of transactions is looked for.</summary>
    private int _place;
    private TimeSpan _standingSince;
    private TimeSpan _latest;
    private GateAnswer<TSync>? _decided;

    /// <summary>Waiters to be used again: as many as ever waited at once.</summary>
    private readonly Stack<GateWaiter<TSync>> _spare = [];
    private long _admittedAfterWait;
    private long _cancelled;
    private long _kickUps;

    /// <summary>Enters, or is refused.</summary>
    public LeaseHold<TSync>? EnterOrRefuse(in TransactionRequest request, out RefusedLease? refusal)
    {
        using Decisions decisions = Decide();
        LeaseHold<TSync>? hold = TakeLocked(request, EnterGroup(request), elseSlow: false);
        refusal = hold is null ? Refuse(RefusalReason.GateFull, NowLocked()) : null;
        return hold;
    }

    /// <summary>Enters, or is refused, or waits.</summary>
    /// <param name="request">Who asks.</param>
    /// <param name="answer">Gets what is decided; completed only if it waits.</param>
    /// <param name="token">Ends the wait; whoever heeds it does so already, and calls <see cref="CancelWait"/>.</param>
    /// <returns>Whether it waits. If not, and nothing was decided, the token was cancelled.</returns>
    public bool EnterOrWait(in TransactionRequest request, GateAnswer<TSync> answer, CancellationToken token)
    {
        // Before the lock, for which others wait; so it may be older than what they have written.
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
            // Its callback came before there was a wait to end; one that comes later finds the wait.
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

    /// <summary>Ends a wait by the wish of the one that waits.</summary>
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
    /// <param name="limit">The new one.</param>
    /// <param name="expected">The one in force, if it matters: with another one nothing is done.</param>
    /// <returns>Whether it is in force.</returns>
    public bool SetLimit(int limit, int? expected = null)
    {
        using Decisions decisions = Decide();
        if (expected is { } wanted && _permits.Limit != wanted)
        {
            return false;
        }

        TimeSpan now = NowLocked();
        CountWaiting(now);

        // Under the lock, so that no newcomer takes the new room before those that wait.
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
        // Waiters go first. A permit that is free while a caller waits is for that caller; the thread that gave it back is on the way to this lock. Where
        // shares are bounds, others may wait because theirs are used up.
        bool mayTake = _options.BorrowsBetweenGroups ? _queued == 0
            : _waitingByGroup[group] == 0 && _shares.MayEnter(_permits.Limit, _heldByGroup[group], group);
        return mayTake && _permits.TryTakeExact(elseSlow) ? Register(request, group) : null;
    }

    private LeaseHold<TSync> Register(in TransactionRequest request, int group)
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

    /// <summary>Lets in those that wait, as far as there are permits.</summary>
    /// <param name="ended">Whether a transaction has ended.</param>
    /// <param name="place">Where it was in the list, if it was.</param>
    private void LetIn(bool ended, int? place = null)
    {
        TimeSpan since = _clock.Now;
        using Decisions decisions = Decide();
        _place = place ?? _place;
        LetInLocked(ended, since, NowLocked());
    }

    /// <summary>Lets in those that wait, as far as there are permits. Under the lock.</summary>
    /// <param name="ended">Whether a transaction has ended.</param>
    /// <param name="since">When it ended, or when there was reason to look.</param>
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
            // Where the system refused the monitor its thread, those that still wait ask for it again.
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
        CountWaiting(now);
        _waitingByGroup[waiter.Group]--;
        _queued--;
        waiter.Answer!.Waiter = null;
        (waiter.Answer, waiter.Request) = (null, default);
        _spare.Push(waiter);
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

    /// <summary>Enters the lock; what is returned leaves it, and then tells those about whom was decided under it.</summary>
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
