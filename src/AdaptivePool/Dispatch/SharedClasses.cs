namespace AdaptivePool.Dispatch;

/// <summary>
/// The root classes with a weight. They have a common limit of items that run at once, about one for each core. The class that is owed most gets the next of
/// them. Classes without a weight are not affected.
/// </summary>
/// <remarks>
/// For <see cref="WorkerSet{TSync}.Ready"/> all of them together are one number, which is ready when a slot is free and one of them has work that may run.
/// Each is kept here as numbers are kept there. A thread that makes a class ready: the change, full fence, <see cref="Note"/>. A thread that finds that it is
/// not: mark taken away, full fence, a second look, and the mark set again if it is. So of a change and a drop one sees the other.
/// </remarks>
/// <typeparam name="TSync">The machine or its model.</typeparam>
/// <param name="slots">Slots at first.</param>
internal sealed class SharedClasses<TSync>(int slots)
    where TSync : struct, ISync
{
    private readonly SyncLock<TSync> _lock = new();
    private readonly FairOrder _order = new();
    private int _count;
    private long _turns;

    /// <summary>
    /// How many workers may run root work of these classes at once, and how many do. A worker that waits gives its slot up: at once where the hook sees the
    /// wait; otherwise Sizing gives out another slot instead.
    /// </summary>
    public ClassLimit<TSync> Slots { get; } = new(slots);

    /// <summary>Turns that have begun. Written under the lock; a hint outside it.</summary>
    public long Turns => TSync.RelaxedRead(ref _turns);

    /// <summary>Whether no class is noted. A hint; a thread that notes one looks for room afterwards.</summary>
    public bool IsEmpty => TSync.RelaxedRead(ref _count) == 0;

    /// <summary>
    /// Notes that a class may be ready. Called after the change that made it so and a full fence. A full fence itself where it changes anything.
    /// </summary>
    public void Note(ClassShare<TSync> share)
    {
        if (share.IsNoted)
        {
            return;
        }

        using (_lock.Hold())
        {
            NoteHeld(share);
        }

        // Pairs with the release of a slot: a thread that gave one back before sees the class, or the caller sees the slot.
        TSync.Fence();
    }

    /// <summary>The class that is owed most. Drops classes that have no work that may run. The turn of the returned class begins.</summary>
    /// <param name="own">The class whose slot the caller holds, which may go on where no other worker may begin; <see langword="null"/> for none.</param>
    public ClassShare<TSync>? Owed(ClassShare<TSync>? own)
    {
        using SyncLock<TSync>.Holder held = _lock.Hold();
        ClassShare<TSync>? owed = FirstHeld();
        if (own is not null && !own.Core.Queue.IsEmpty && !own.Core.Limit.IsOver && (owed is null || FairOrder.IsOwedAsMuch(own, owed)))
        {
            owed = own;
        }

        if (owed is not null)
        {
            _order.Begin(owed);
            TSync.RelaxedWrite(ref _turns, TSync.Read(ref _turns) + 1);
        }

        return owed;
    }

    /// <summary>Whether one of the classes has work that may run. Exact, as a look at each number of a <see cref="Queues.ReadySet{TSync}"/> is.</summary>
    public bool HasReady()
    {
        if (IsEmpty)
        {
            return false;
        }

        using SyncLock<TSync>.Holder held = _lock.Hold();
        return FirstHeld() is not null;
    }

    /// <summary>Counts CPU time of a class.</summary>
    /// <param name="share">The class.</param>
    /// <param name="nanoseconds">How much.</param>
    public void Charge(ClassShare<TSync> share, long nanoseconds)
    {
        using SyncLock<TSync>.Holder held = _lock.Hold();
        share.AddUsed(nanoseconds);
        _order.Charge(share, nanoseconds);
    }

    /// <summary>Changes a weight. It holds for what is used from now on.</summary>
    public void SetWeight(ClassShare<TSync> share, int weight)
    {
        using SyncLock<TSync>.Holder held = _lock.Hold();
        share.Weight = weight;
    }

    /// <summary>Items that could run at once if there were workers for them, at most the free slots. A hint.</summary>
    /// <param name="most">The count stops at this number.</param>
    public int Unserved(long most)
    {
        most = Math.Min(most, Slots.Value - (long)Slots.Active);
        using SyncLock<TSync>.Holder held = _lock.Hold();
        long count = 0;
        foreach ((FairEntry entry, _) in _order.All)
        {
            ClassCore<TSync> core = ((ClassShare<TSync>)entry).Core;
            count += Math.Max(0, Math.Min(core.Queue.Count, core.Limit.Value - core.Limit.Active));
            if (count >= most)
            {
                break;
            }
        }

        return (int)Math.Max(0, Math.Min(count, most));
    }

    private ClassShare<TSync>? FirstHeld()
    {
        while (_order.First is ClassShare<TSync> first)
        {
            if (IsReady(first))
            {
                return first;
            }

            _order.Remove(first);
            TSync.RelaxedWrite(ref _count, _order.Count);
            first.IsNoted = false;

            // Pairs with change, fence, look at the mark in Note. Without it a change that relied on the mark is missed.
            TSync.Fence();
            if (!IsReady(first))
            {
                continue;
            }

            NoteHeld(first);
        }

        return null;
    }

    private void NoteHeld(ClassShare<TSync> share)
    {
        if (!share.IsNoted)
        {
            _order.Add(share);
            share.IsNoted = true;
            TSync.RelaxedWrite(ref _count, _order.Count);
        }
    }

    private static bool IsReady(ClassShare<TSync> share) => ReferenceEquals(share.Core.Share, share) && share.Core.IsEligible;
}
