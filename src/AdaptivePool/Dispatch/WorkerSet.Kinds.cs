namespace AdaptivePool.Dispatch;

/// <remarks>
/// Classes with a weight, of which there are none until a class is given one, and work of tenants; groups of workers, which say which workers come first (see
/// <see cref="IdleWorkers{TSync}"/>); items of open transactions that wait with new work.
/// </remarks>
internal sealed partial class WorkerSet<TSync>
{
    private SharedClasses<TSync>? _shares;

    /// <summary>The classes with a weight; <see langword="null"/> while no class has ever had one.</summary>
    public SharedClasses<TSync>? Shares => TSync.RelaxedRead(ref _shares);

    /// <summary>The number in <see cref="Ready"/> that all classes with a weight have together: behind those of all classes.</summary>
    public int SharedNumber => Ready.Capacity - 1;

    private bool IsReady(int number) => number == SharedNumber
        ? Shares is { } shares && shares.Slots.HasRoom && shares.HasReady()
        : Classes is var classes && number < classes.Length && classes[number].IsEligible && classes[number].Share is null;

    /// <summary>Gives a class a weight, or takes it away. Any thread; the caller makes sure that there is only one.</summary>
    /// <param name="target">A root class.</param>
    /// <param name="weight">The weight; 0 for none.</param>
    /// <param name="slots">Slots that all classes with a weight have at first.</param>
    public void SetWeight(ClassCore<TSync> target, int weight, int slots)
    {
        using OwedWake<TSync> owed = OweWake();
        if (weight > 0)
        {
            SharedClasses<TSync> shares = Shares ?? Create(slots);
            ClassShare<TSync> share = target.FormerShare ?? new ClassShare<TSync>(target);
            shares.SetWeight(share, weight);
            target.SetShare(share);
        }
        else
        {
            target.SetShare(null);
        }

        // Pairs with enqueue, fence, look at the share: an item that was queued as that of a class without a share is seen here. Also where the class already
        // has a bit in the set of the others; that bit is dropped when it is found.
        LookAgain(target);
    }

    /// <summary>Queues root work of a class.</summary>
    [BypassReadyToRun]
    public void QueueRoot(ClassCore<TSync> target, object item, in RootPlace place)
    {
        using OwedWake<TSync> owed = OweWake();
        int group = IdleWorkers<TSync>.AnyGroup;
        if (place.Tenant is { } tenant)
        {
            target.Queue.EnqueueFor(tenant, item);
        }
        else if (place.Route is { } route)
        {
            // Workers of its group come first.
            group = Idle.GroupOf(route);
            target.Queue.EnqueueAt(group, item);
        }
        else
        {
            target.Queue.Enqueue(item, place.Priority);
        }

        Announce(target, group);
    }

    /// <summary>Sets how many workers may run root work of classes with a weight at once. Sizing only.</summary>
    public void SetSharedSlots(int slots)
    {
        SharedClasses<TSync> shares = Shares!;
        bool isRaised = slots > shares.Slots.Value;
        shares.Slots.Set(slots);
        if (isRaised)
        {
            // Pairs with the fence between enqueue and the look for room.
            TSync.Fence();
            if (NoteShared())
            {
                LookAgain();
            }
        }
    }

    /// <summary>Notes that a class has work, where workers look for it. Called after a full fence.</summary>
    /// <returns>Whether a worker may take it at once.</returns>
    private bool NoteReady(ClassCore<TSync> target)
    {
        if (target.Share is { } share)
        {
            Shares!.Note(share);
            Ready.Note(SharedNumber);
            return Root.HasRoom && Shares.Slots.HasRoom;
        }

        // Also where root work has no place: the thread that frees one looks at the set.
        Ready.Note(target.Number);
        return Root.HasRoom;
    }

    /// <summary>Notes that classes with a weight may run more. Called after the change that lets them and a full fence.</summary>
    /// <returns>Whether any of them has work.</returns>
    public bool NoteShared()
    {
        if (Shares is not { IsEmpty: false })
        {
            return false;
        }

        Ready.Note(SharedNumber);
        return true;
    }

    private SharedClasses<TSync> Create(int slots)
    {
        var created = new SharedClasses<TSync>(slots);

        // Pairs with itself: of several callers that come first, all use the object that was stored first.
        return TSync.CompareExchange(ref _shares, created, null) ?? created;
    }

    /// <summary>
    /// Called by a worker with its group: before its first item, and when it wakes in another one. <see langword="null"/> for no call. Set before the first
    /// item.
    /// </summary>
    public Action<int>? OnGroup { get; set; }

    /// <summary>
    /// How long a worker that has run work with a route waits for more, where that pays (<see cref="BatchRule"/>); <see langword="null"/>: not at all.
    /// </summary>
    public TimeSpan? BatchWait { get; init; }

    /// <summary>Items with a route to a group that wait, of all classes; a hint.</summary>
    public long QueuedAt(int group) => Classes.Sum(core => (long)core.Queue.CountAt(group));

    /// <summary>Items that workers took from others' own queues.</summary>
    public PaddedCounter Steals { get; } = new();

    /// <summary>Items with a route that workers of other groups took.</summary>
    public PaddedCounter Borrows { get; } = new();

    /// <summary>Items of open transactions that wait with new work, and those that did.</summary>
    public HeldBackItems<TSync> HeldBack { get; } = new();
}
