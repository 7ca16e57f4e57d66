using AdaptivePool.Dispatch;

namespace AdaptivePool;

/// <summary>
/// An item of an open transaction that waits with new work. When it has waited too long it is queued a second time, before all new work: others may block all
/// workers that its class may have while they wait for its transaction's permit. What comes second does nothing.
/// </summary>
internal sealed class HeldBackItem(WorkClass owner, IThreadPoolWorkItem item) : IThreadPoolWorkItem
{
    private int _isTaken;

    /// <summary>What waits.</summary>
    public IThreadPoolWorkItem Item => item;

    /// <summary>Whether it has begun. A hint.</summary>
    public bool IsTaken => Volatile.Read(ref _isTaken) != 0;

    public void Execute()
    {
        // Pairs with itself: of its two places one runs it.
        if (Interlocked.Exchange(ref _isTaken, 1) != 0)
        {
            Worker.CurrentOf(owner.Pool.Set)?.LeaveOut();
            return;
        }

        owner.EnterFor(item);
        item.Execute();
    }
}
