using AdaptivePool.Dispatch.Queues;

namespace AdaptivePool.Dispatch;

internal sealed partial class Worker<TSync>
{
    private uint _turn;
    private long _oldest = -1;
    private double _oldestSince;
    private int _nextClass;
    private int _nextVictim = id + 1;
    private uint _thefts;

    /// <summary>
    /// Whether any queue other than the one that has come first so often may have an item. No processor can predict in which turn another queue comes first,
    /// and a wrong prediction costs as much as a tenth of a dispatch; whether there is a choice is mostly as in the turn before.
    /// </summary>
    private bool HasChoice
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => _slot is { IsInFlight: false } || _set.MayHaveInFlight || !_set.Ready.IsEmpty || (!Fair.IsEmpty && !Local.IsEmpty) || IsEmergency;
    }

    /// <summary>The next item, with its slot held; <see langword="null"/> when there is none that may run. One turn of <see cref="TurnRule"/>.</summary>
    [BypassReadyToRun]
    private object? Take()
    {
        uint turn = ++_turn;
        FirstLook first = TurnRule.IsRare(turn) || HasChoice ? TurnRule.First(turn, _hasLongItems) : FirstLook.Newest;
        object? item = first == FirstLook.Root ? TakeRoot(rotate: true) : null;
        item ??= TakeInFlight(first);
        if (item is null && first != FirstLook.Root)
        {
            item = TakeRoot(rotate: false);
        }

        if (item is not null && IsSearching)
        {
            // The last searcher that finds work wakes the next worker.
            _set.FoundWork(this);
        }

        return item;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    [BypassReadyToRun]
    private object? TakeInFlight(FirstLook first)
    {
        ClassCore<TSync> inFlight = _set.InFlight;
        bool own = HasLocal;
        if (!own && !_set.MayHaveInFlight && !_set.HasSpareLocal())
        {
            return null;
        }

        if (!HoldSlot(inFlight))
        {
            // Other workers run in-flight work up to its limit. They can take this worker's, which must not wait behind a root item (rule R4).
            _ = SpillLocal();

            // A worker that gave a slot back just before saw nothing queued: its fence pairs with this look.
            _set.LookAgain();
            return null;
        }

        object? item = first == FirstLook.Newest ? null : TakeFirst(first);
        if (item is null && own)
        {
            item = Local.TryPop() ?? Fair.TryPopOldest();
        }

        if (item is null)
        {
            return _set.TryTakeInFlight() ?? Steal();
        }

        if (own && _owesOffer)
        {
            // Pays what the pushes owe, which have no fence: taking an item is one. So of this look and of a worker that falls asleep at least one sees the
            // other.
            _owesOffer = false;
            if (HasSpareLocal)
            {
                _set.OfferLocal(this);
            }
        }

        return item;
    }

    [BypassReadyToRun]
    private object? TakeFirst(FirstLook first) => first switch
    {
        FirstLook.Fair => Fair.TryPopOldest(),
        FirstLook.Shared => _set.MayHaveInFlight ? _set.TryTakeInFlight() : null,
        FirstLook.Others => _set.HasHeldUp ? Steal(onlyHeldUp: true) : null,
        FirstLook.Oldest => TakeOldest(),
        _ => null,
    };

    /// <summary>The worker's group.</summary>
    public int Group => _set.Idle.GroupOf(Id);

    private object? TakeOldest()
    {
        // How long the item has been the oldest, as far as these looks show: an item that two of them find has been there all the time between.
        double now = TSync.Timestamp() * s_secondsPerTick;
        long oldest = Local.IsEmpty ? -1 : Local.Top;
        if (oldest != _oldest)
        {
            (_oldest, _oldestSince) = (oldest, now);
        }

        return _hasLongItems || now - _oldestSince >= TurnRule.OldestAfterSeconds ? Local.TrySteal() : null;
    }

    /// <summary>Takes from the next worker that has something to spare, so that each of them is reached; mostly from one of the own group first.</summary>
    /// <param name="onlyHeldUp">Whether to skip workers whose item is not known to run on: they come to their own work, and work that moves between cores
    /// costs more than the look.</param>
    private object? Steal(bool onlyHeldUp = false)
    {
        if (_set.Spare.IsEmpty)
        {
            return null;
        }

        // Not always: a group that always has something would hide the others. Never for held-up work, whose turns always have the same remainder.
        bool isNearFirst = !onlyHeldUp && _set.Idle.Groups > 1 && _turn % RoutedLanes<TSync>.OthersEvery != 0;
        return (isNearFirst ? StealFromAll(onlyHeldUp, Group) : null) ?? StealFromAll(onlyHeldUp, IdleWorkers<TSync>.AnyGroup);
    }

    private object? StealFromAll(bool onlyHeldUp, int group)
    {
        int next = _nextVictim;
        return StealFrom(next, _set.Spare.Capacity, onlyHeldUp, group) ?? StealFrom(0, next, onlyHeldUp, group);
    }

    private object? StealFrom(int from, int to, bool onlyHeldUp, int group)
    {
        // What other threads miss in this set costs time and no item.
        bool restored = false;
        for (int number = _set.Spare.Find(from, to, ref restored); number >= 0; number = _set.Spare.Find(number + 1, to, ref restored))
        {
            if (_set.WorkerOf(number) is not { } victim || ReferenceEquals(victim, this) || (onlyHeldUp && !victim.MayLoseLoneItem)
                || (group != IdleWorkers<TSync>.AnyGroup && victim.Group != group))
            {
                continue;
            }

            // Alternates, so that a queue that is always filled again does not hide the other.
            bool fairFirst = (++_thefts & 1) == 0;
            object? item = fairFirst ? victim.Fair.TrySteal() ?? victim.Local.TrySteal() : victim.TryStealAny();
            if (item is not null)
            {
                _nextVictim = number + 1;
                _set.Steals.Add(1);
                return item;
            }
        }

        return null;
    }

    [BypassReadyToRun]
    private object? TakeRoot(bool rotate)
    {
        ClassCore<TSync>? held = _slot;
        if (held is { IsInFlight: false })
        {
            if ((held.IsOverserved || _set.Root.IsOver) && !IsEmergency)
            {
                // The other workers take what waits, and the last one that leaves looks again; or this thread is the one that root work leaves to work in
                // flight.
                ReleaseSlot();
            }
            else if (held.Share is { } share)
            {
                if (TakeHeld(held, share, rotate) is { } owed)
                {
                    return owed;
                }
            }
            else
            {
                if (HoldsShared)
                {
                    // The class had a weight when its slot was taken, and may have work for any length of time.
                    LeaveShared();
                }

                if (!rotate && !_set.TakesTurns && !held.Limit.IsOver && held.Queue.TryDequeue(out object? taken, this))
                {
                    return taken;
                }
            }
        }

        if (_slot is not { IsInFlight: false } && !_set.Root.HasRoom && !IsEmergency)
        {
            TellNoRoom();
            return null;
        }

        if (IsEmergency)
        {
            return TakeRootOfAny();
        }

        int next = _nextClass;
        bool restored = false;
        object? item = TakeReady(next, _set.Ready.Capacity, ref restored) ?? TakeReady(0, next, ref restored);
        if (restored)
        {
            _set.EnsureWorker();
        }

        // No class counts as ready while this worker holds its last slot, nor do those with a weight while it holds the last of their slots.
        return item ?? (_slot is { IsInFlight: false, Limit.IsOver: false } still
            ? still.Share is not null ? TakeOwed() : still.Queue.TryDequeue(out object? own, this) ? own : null
            : null);
    }

    private object? TakeReady(int from, int to, ref bool restored)
    {
        for (int number = _set.Ready.Find(from, to, ref restored); number >= 0; number = _set.Ready.Find(number + 1, to, ref restored))
        {
            if (number == _set.SharedNumber)
            {
                if (TakeOwed() is { } owed)
                {
                    _nextClass = number + 1;
                    return owed;
                }

                continue;
            }

            ClassCore<TSync> candidate = _set.Classes[number];
            if (HoldSlot(candidate))
            {
                if (candidate.Queue.TryDequeue(out object? item, this))
                {
                    _nextClass = number + 1;
                    return item;
                }
            }
            else if (_slot is not { IsInFlight: false } && !_set.Root.HasRoom)
            {
                // Another worker has taken the last place of all root work.
                TellNoRoom();
                return null;
            }
        }

        return null;
    }

    // Items queued while there was room told no thread that they may have to wait. The worker that takes the last place together with a slot reports it; an
    // item in flight that waits does not.
    private void TellNoRoom()
    {
        if (IsSearching)
        {
            _set.OnHeldUp();
        }
    }

    /// <summary>Takes past the limits. Looks at all classes: such workers are few, and exist only as long as a deadlock holds.</summary>
    private object? TakeRootOfAny()
    {
        ClassCore<TSync>[] classes = _set.Classes;
        for (int i = 0; i < classes.Length; i++)
        {
            int index = (_nextClass + i) % classes.Length;
            if (!classes[index].Queue.IsEmpty && HoldSlot(classes[index]) && classes[index].Queue.TryDequeue(out object? item, this))
            {
                _nextClass = index + 1;
                return item;
            }
        }

        return null;
    }

    /// <summary>Changes to a slot of the given class.</summary>
    /// <returns><see langword="false"/> when the class has no room.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    [BypassReadyToRun]
    private bool HoldSlot(ClassCore<TSync> wanted)
    {
        if (!ReferenceEquals(_slot, wanted))
        {
            return ChangeSlot(wanted);
        }

        if (!wanted.Limit.IsOver || IsEmergency)
        {
            return true;
        }

        ReleaseSlot();
        return false;
    }

    private bool ChangeSlot(ClassCore<TSync> wanted)
    {
        ClassCore<TSync>? held = _slot;
        if (!wanted.Limit.TryAcquire())
        {
            if (!IsEmergency)
            {
                return false;
            }

            // Every slot is held by a worker that is stuck. What this worker runs may set them free.
            wanted.Limit.Reacquire();
        }

        bool isRoot = !wanted.IsInFlight;
        if (isRoot && held is not { IsInFlight: false } && !_set.Root.TryAcquire())
        {
            if (!IsEmergency)
            {
                // A thread that looked meanwhile saw no room in the class, and relies on a look when some of it comes free.
                wanted.Limit.Release();
                if (_set.MayRun(wanted))
                {
                    _set.EnsureWorker();
                }

                return false;
            }

            _set.Root.Reacquire();
        }

        ReleaseSlot(staysRoot: isRoot, staysShared: wanted.Share is not null);
        TSync.RelaxedWrite(ref _slot, wanted);
        if ((!wanted.Limit.HasRoom || (isRoot && !_set.Root.HasRoom)) && (wanted.IsInFlight ? _set.MayHaveInFlight : !wanted.Queue.IsEmpty))
        {
            // Items queued while there was room told no thread that they may have to wait. The worker that takes the last slot does. Taking it is a fence:
            // pairs with enqueue, fence, look for room.
            _set.OnHeldUp();
        }

        return true;
    }

    /// <param name="staysRoot">Whether the worker goes on with root work and keeps its place among all root work.</param>
    /// <param name="staysShared">Whether it goes on with a class with a weight and keeps its slot among those classes.</param>
    private void ReleaseSlot(bool staysRoot = false, bool staysShared = false)
    {
        ClassCore<TSync>? held = _slot;
        if (held is null)
        {
            return;
        }

        FlushStatistics(held);
        if (_charged is not null)
        {
            // Before other workers check which class has the turn.
            Settle();
        }

        TSync.RelaxedWrite(ref _slot, null);
        held.Limit.Release();

        // Where there was no other free place for root work, any class may have been held up.
        bool mayHoldUpOthers = !held.IsInFlight && !staysRoot && _set.Root.Release();

        // Release is a fence: an item queued before it is visible here, and the thread that queues a later item sees the free slot. Either way a worker is
        // woken for it. The class itself is looked at first: an item that was left to this worker, because it would take it soon, is in no set yet.
        bool mayRun = held.IsInFlight ? _set.HasInFlightWork() : _set.MayRun(held);
        bool mayHoldUpShared = !staysShared && GiveBackShared();
        if (mayRun || ((mayHoldUpOthers || mayHoldUpShared) && _set.HasEligibleWork()))
        {
            _set.EnsureWorker();
        }
    }
}
