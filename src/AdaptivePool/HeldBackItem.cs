namespace AdaptivePool;

/// <summary>
/// An item of an open transaction that waits with new work. When it has waited too long it is queued a second time, before all new work: others may block all
/// workers that its class may have while they wait for its transaction's permit. What comes second does nothing.
/// </summary>
internal sealed class HeldBackItem(WorkClass owner, IThreadPoolWorkItem item) : IThreadPoolWorkItem
{
    private IThreadPoolWorkItem? _item = item;

    /// <summary>What waits; <see langword="null"/> once it has begun, so that a place which is looked at later keeps nothing alive. A hint.</summary>
    public IThreadPoolWorkItem? Item => Volatile.Read(ref _item);

    /// <summary>When sizing first saw it waiting, in seconds. Sizing only.</summary>
    public double SeenAt { get; set; }

    public void Execute()
    {
        // Pairs with itself: of its two places one runs it.
        if (Interlocked.Exchange(ref _item, null) is not { } taken)
        {
            Worker.CurrentOf(owner.Pool.Set)?.LeaveOut();
            return;
        }

        owner.EnterFor(taken);
        taken.Execute();
    }
}
