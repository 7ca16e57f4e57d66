using System.Threading.RateLimiting;

namespace AdaptivePool.Admission;

/// <remarks>The slow way: entering a full gate, waiting, and who is next. Everything here is decided under one lock; those that waited are told after it.</remarks>
public sealed partial class TransactionGate
{
    private readonly Lock _lock = new();
    private readonly WaiterQueue[] _queues;
    private readonly int[] _heldByGroup;
    private readonly int[] _waitingByGroup;
    private readonly GroupShareRule _shares;
    private readonly OverloadPolicy _overload;
    private readonly DrainRateRule _drain = new();
    private readonly long[] _refused = new long[Enum.GetValues<RefusalReason>().Length];
    private int _queued;

    /// <summary>From the first one that waits until a permit has come back and nobody waits: then the clock of the alarm and that of the drain rate run, also while all waits have ended in vain.</summary>
    private bool _isPressed;
    private int _turn;
    private TimeSpan _standingSince;
    private GateWaiter? _decided;
    private long _admittedAfterWait;
    private long _cancelled;
    private long _kickUps;

    private int QueuedCount
    {
        get
        {
            lock (_lock)
            {
                return _queued;
            }
        }
    }

    private long RefusedCount
    {
        get
        {
            lock (_lock)
            {
                return _refused.Sum();
            }
        }
    }

    /// <summary>Gives back what a transaction held. Called once for each.</summary>
    internal void Release(LeaseHold hold)
    {
        ForgetFlow(hold);

        // Before the permit goes back, so that no list ever shows more than the limit.
        _leases.Remove(hold);
        if (!hold.TakesPermit)
        {
            // A statistic: no other memory depends on it.
            Interlocked.Decrement(ref _privileged);
        }
        else if (_isDivided)
        {
            GateWaiter? decided;
            lock (_lock)
            {
                // One section with letting in: a newcomer in between would take what somebody waits for.
                _heldByGroup[hold.Group]--;
                _permits.GiveBack();
                decided = LetInLocked(ended: true);
            }

            Tell(decided);
        }
        else if (_permits.GiveBack())
        {
            LetIn(ended: true);
        }
    }

    /// <summary>The transaction has ended, and what its caller does next belongs to none. Elsewhere the box stays, and is found empty.</summary>
    private void ForgetFlow(LeaseHold hold)
    {
        if (_flow is { } flow && ReferenceEquals(flow.Value?.Hold, hold))
        {
            flow.Value = null;
        }
    }

    private RateLimitLease EnterOrRefuse(in TransactionRequest request)
    {
        LeaseHold? hold;
        RefusedLease? refusal = null;
        lock (_lock)
        {
            int group = EnterGroup(request);
            hold = TakeLocked(request, group, elseSlow: false);
            if (hold is null)
            {
                refusal = Refuse(RefusalReason.Full);
            }
        }

        return hold is null ? refusal! : Flow(hold);
    }

    private ValueTask<RateLimitLease> EnterOrWait(in TransactionRequest request, CancellationToken cancellationToken)
    {
        LeaseHold? hold;
        GateWaiter? waiter = null;
        GateWaiter? decided = null;
        RefusedLease? refusal = null;
        lock (_lock)
        {
            int group = EnterGroup(request);
            hold = TakeLocked(request, group, elseSlow: _options.QueueLimit > 0);
            if (hold is null && !HasPlace(group, request.Priority))
            {
                refusal = Refuse(RefusalReason.QueueFull);
            }
            else if (hold is null)
            {
                waiter = new GateWaiter(this, request, group, Now, _flow is null ? null : new LeaseFlow());
                Enqueue(waiter);
                decided = TakeDecided();
            }
        }

        Tell(decided);
        if (waiter is null)
        {
            return new ValueTask<RateLimitLease>(hold is null ? refusal! : Flow(hold));
        }

        if (_flow is { } flow)
        {
            flow.Value = waiter.Flow;
        }

        if (cancellationToken.CanBeCanceled)
        {
            Watch(waiter, cancellationToken);
        }

        return new ValueTask<RateLimitLease>(waiter.Task);
    }

    /// <summary>The group of a request; throws when the gate was closed before the lock was taken.</summary>
    private int EnterGroup(in TransactionRequest request)
    {
        ObjectDisposedException.ThrowIf(_disposed, this);
        return !_isDivided ? 0
            : request.Partition is { } partition ? (int)((uint)partition.GetHashCode(StringComparison.Ordinal) % (uint)_queues.Length)
            : (_turn = (_turn + 1) % _queues.Length);
    }

    private LeaseHold? TakeLocked(in TransactionRequest request, int group, bool elseSlow)
    {
        // Whoever waits goes first: a permit that is free while somebody waits belongs to him, and its giver is on the way to this lock. Where shares are bounds, others may wait because theirs are used up.
        bool mayTake = _options.BorrowsBetweenGroups || !_isDivided ? _queued == 0 : _queues[group].Count == 0 && _shares.MayEnter(_permits.Limit, _heldByGroup[group]);
        if (!mayTake || !_permits.TryTakeExact(elseSlow))
        {
            return null;
        }

        Count(group);
        return Register(request, group, takesPermit: true);
    }

    private void Count(int group)
    {
        // Where permits are not divided, the fast way counts nobody here either.
        if (_isDivided)
        {
            _heldByGroup[group]++;
        }
    }

    /// <summary>Whether one more may wait. A group below its share of the queue gets a place of the longest; where the newest goes first, the oldest gives up its place for it.</summary>
    private bool HasPlace(int group, TransactionPriority priority)
    {
        if (_queued < _options.QueueLimit)
        {
            return true;
        }

        int longest = _isDivided ? _shares.GivesPlace(_options.QueueLimit, _waitingByGroup, group) : -1;
        GateWaiter? leaver = longest >= 0 ? _queues[longest].TakeNewestOfLeast()
            : _queues[group].Count > 0 && _overload.Judge(Now - _standingSince).NewestFirst ? _queues[group].TakeLeast(priority)
            : null;
        if (leaver is null)
        {
            return false;
        }

        Decide(leaver, Refuse(RefusalReason.QueueFull));
        return true;
    }

    private void Enqueue(GateWaiter waiter)
    {
        if (_queued == 0)
        {
            _standingSince = waiter.Since;
        }

        if (!_isPressed)
        {
            _isPressed = true;
            _drain.Resume(waiter.Since);
            Progress(waiter.Since);
        }

        _permits.SetSlow();
        _queues[waiter.Group].Add(waiter);
        _waitingByGroup[waiter.Group]++;
        _queued++;
        LookSoon(waiter.Since);
    }

    private void Watch(GateWaiter waiter, CancellationToken cancellationToken)
    {
        CancellationTokenRegistration registration = cancellationToken.UnsafeRegister(
            static (state, token) => ((GateWaiter)state!).Cancel(token), waiter);
        bool isLate;
        lock (_lock)
        {
            isLate = waiter.Lane is null;
            if (!isLate)
            {
                waiter.Registration = registration;
            }
        }

        if (isLate)
        {
            registration.Unregister();
        }
    }

    /// <summary>Ends a wait by the wish of the one that waits.</summary>
    internal void CancelWait(GateWaiter waiter, CancellationToken token)
    {
        lock (_lock)
        {
            if (!_queues[waiter.Group].Remove(waiter))
            {
                return;
            }

            waiter.CancelledBy = token;
            _cancelled++;
            Leave(waiter);
        }

        waiter.Complete();
    }

    /// <summary>Lets in those that wait, as far as there are permits.</summary>
    /// <param name="ended">Whether a transaction has ended.</param>
    private void LetIn(bool ended)
    {
        GateWaiter? decided;
        lock (_lock)
        {
            decided = LetInLocked(ended);
        }

        Tell(decided);
    }

    private GateWaiter? LetInLocked(bool ended)
    {
        if (ended && _isPressed)
        {
            TimeSpan now = Now;
            Progress(now);
            _drain.Observe(now);
        }

        while (_queued > 0)
        {
            int group = _isDivided ? _shares.Next(_permits.Limit, _heldByGroup, _waitingByGroup, _turn) : 0;
            if (group < 0 || !_permits.TryTakeExact(elseSlow: true))
            {
                break;
            }

            TimeSpan now = Now;
            GateWaiter waiter = _queues[group].Take(now, _options.KickUpAfter, _overload.Judge(now - _standingSince).NewestFirst, out bool kickedUp);
            _kickUps += kickedUp ? 1 : 0;
            Count(group);
            _turn = (group + 1) % _queues.Length;
            _admittedAfterWait++;
            LeaseHold hold = Register(waiter.Request, group, takesPermit: true);
            if (waiter.Flow is { } flow)
            {
                flow.Hold = hold;
            }

            Decide(waiter, new TransactionLease(hold, isNested: false));
        }

        if (_queued == 0 && (ended || _permits.HasRoom))
        {
            EndPressure();
        }

        return TakeDecided();
    }

    private RefusedLease Refuse(RefusalReason reason)
    {
        _refused[(int)reason]++;
        return new RefusedLease(reason, reason == RefusalReason.Disposed ? null : _drain.RetryAfter(_queued, Now));
    }

    /// <summary>Settles what becomes of a waiter that has left its lane.</summary>
    private void Decide(GateWaiter waiter, RateLimitLease outcome)
    {
        waiter.Outcome = outcome;
        waiter.NextDecided = _decided;
        _decided = waiter;
        Leave(waiter);
    }

    private void Leave(GateWaiter waiter)
    {
        _waitingByGroup[waiter.Group]--;
        _queued--;
    }

    /// <summary>Opens the fast way. Not as soon as nobody waits: while the gate is full it helps nobody, and the next permit that comes back would be seen by nobody.</summary>
    private void EndPressure()
    {
        if (_isPressed)
        {
            _isPressed = false;
            _drain.Pause(Now);
        }

        if (!_isDivided && !_disposed)
        {
            _permits.ClearSlow();
        }
    }

    private GateWaiter? TakeDecided()
    {
        GateWaiter? decided = _decided;
        _decided = null;
        return decided;
    }

    private static void Tell(GateWaiter? decided)
    {
        while (decided is { } waiter)
        {
            decided = waiter.NextDecided;
            waiter.NextDecided = null;
            waiter.Complete();
        }
    }
}
