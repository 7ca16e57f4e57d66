namespace AdaptivePool.Dispatch;

/// <remarks>Classes with a weight: which class has the turn, and what each has used.</remarks>
internal sealed partial class Worker<TSync>
{
    /// <summary>
    /// How long a worker goes on with short items of one class before it checks which class has the turn: some hundred times what that check costs (reading
    /// the clock of a thread and two locks, 0.6 us), and little beside the 100 ms in which shares are to hold.
    /// </summary>
    private const double TurnSeconds = 200e-6;

    private static readonly long s_turnTicks = (long)(TurnSeconds * Stopwatch.Frequency);

    private ClassShare<TSync>? _charged;
    private long _cpuAt;
    private long _turnAt;
    private bool _holdsShared;
    private bool _sharedLent;

    /// <summary>Whether the worker holds one of the slots that classes with a weight have together. A hint for other threads.</summary>
    public bool HoldsShared { get => TSync.RelaxedRead(ref _holdsShared); private set => TSync.RelaxedWrite(ref _holdsShared, value); }

    /// <summary>The next item of the class whose slot the worker holds, or of the class with a weight that is owed more.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private object? TakeHeld(ClassCore<TSync> held, ClassShare<TSync> share, bool rotate)
    {
        // Where this worker has come back from a wait, other workers have its slot (rule R5).
        if ((_set.Shares!.Slots.IsOver && HoldsShared && !IsEmergency) || !TryHoldShared())
        {
            ReleaseSlot();
            return null;
        }

        if (!ReferenceEquals(_charged, share))
        {
            ChargeFrom(share);
        }

        if (rotate || _set.TakesTurns)
        {
            Settle();
            return null;
        }

        long now = TSync.Timestamp();
        if (now - _turnAt >= s_turnTicks)
        {
            _turnAt = now;
            Settle();
            return TakeOwed();
        }

        return !held.Limit.IsOver && held.Queue.TryDequeue(out object? item, this) ? item : null;
    }

    /// <summary>An item of the class with a weight that is owed most.</summary>
    private object? TakeOwed()
    {
        SharedClasses<TSync> shares = _set.Shares!;
        while (TryHoldShared() && shares.Owed(_slot?.Share) is { } owed)
        {
            if (!HoldSlot(owed.Core))
            {
                if (_slot is not { IsInFlight: false } && !_set.Root.HasRoom)
                {
                    // Another worker has taken the last place of all root work.
                    break;
                }
            }
            else if (owed.Core.Queue.TryDequeue(out object? item, this))
            {
                _turnAt = TSync.Timestamp();
                return item;
            }
        }

        if (_slot?.Share is null)
        {
            // The slot was held only in passing: other workers may have found no room because of it.
            LeaveShared();
        }

        return null;
    }

    private bool TryHoldShared()
    {
        if (HoldsShared || IsEmergency)
        {
            return true;
        }

        SharedClasses<TSync> shares = _set.Shares!;
        if (!shares.Slots.TryAcquire())
        {
            return false;
        }

        HoldsShared = true;
        if (!shares.Slots.HasRoom && !shares.IsEmpty)
        {
            // As with the last slot of a class: items that were queued while there was room told no thread that they may have to wait. Pairs with enqueue,
            // fence, look for room.
            _set.OnHeldUp();
        }

        return true;
    }

    private void LeaveShared()
    {
        if (GiveBackShared() && _set.Root.HasRoom)
        {
            _set.EnsureWorker();
        }
    }

    /// <returns>Whether other work may need the slot. The caller then looks for a worker.</returns>
    private bool GiveBackShared()
    {
        if (!HoldsShared)
        {
            return false;
        }

        HoldsShared = false;

        // A fence: pairs with that between enqueue and the look for room.
        return _set.Shares!.Slots.Release() && _set.NoteShared();
    }

    /// <summary>Called when the item waits: other workers may have the slot meanwhile.</summary>
    private bool LendShared()
    {
        Settle();
        _sharedLent = HoldsShared;
        return GiveBackShared();
    }

    /// <summary>Called when the item goes on. Takes the slot back, past the limit if need be.</summary>
    private void TakeBackShared()
    {
        if (_sharedLent)
        {
            _sharedLent = false;
            HoldsShared = true;
            _set.Shares!.Slots.Reacquire();
        }
    }

    /// <summary>Remembers the class whose item runs. Its CPU time is counted for the class that has brought it, in flight too.</summary>
    private void SetOwner(WorkClass? owner)
    {
        // Plain: for other threads it is a hint. The runtime publishes an object's content with its reference.
        _itemOwner = owner;
        if (_set.Shares is not null)
        {
            ChargeFrom(_slot is { IsInFlight: false } root ? root.Share : _set.CoreOf(owner)?.Share);
        }
    }

    private void ChargeFrom(ClassShare<TSync>? share)
    {
        if (ReferenceEquals(_charged, share))
        {
            return;
        }

        Settle();
        _charged = share;
        if (share is not null)
        {
            _cpuAt = TSync.ThreadCpu();
        }
    }

    /// <summary>Counts what the present class has used since the last look.</summary>
    private void Settle()
    {
        if (_charged is not { } charged)
        {
            return;
        }

        long cpu = TSync.ThreadCpu();
        _set.Shares!.Charge(charged, cpu - _cpuAt);
        _cpuAt = cpu;
    }
}
