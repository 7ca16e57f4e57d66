namespace AdaptivePool;

/// <summary>
/// An item of an open transaction that waits with new work. When it has waited too long it is queued a second time, before all new work: other items may
/// block all workers that its class may have while they wait for the permit of its transaction. The second of its two entries does nothing.
/// </summary>
internal sealed class HeldBackItem(WorkClass owner, IThreadPoolWorkItem item) : IThreadPoolWorkItem
{
    private IThreadPoolWorkItem? _item = item;

    /// <summary>The item that waits; <see langword="null"/> once it has begun, so that an entry that is taken later keeps nothing alive. A hint.</summary>
    public IThreadPoolWorkItem? Item => Volatile.Read(ref _item);

    /// <summary>When sizing first saw the item waiting, in seconds. Used by sizing only.</summary>
    public double SeenAt { get; set; }

    public void Execute()
    {
        // Pairs with itself: one of the two entries runs the item.
        if (Interlocked.Exchange(ref _item, null) is not { } taken)
        {
            Worker.CurrentOf(owner.Pool.Set)?.LeaveOut();
            return;
        }

        owner.EnterFor(taken);
        taken.Execute();
    }
}
