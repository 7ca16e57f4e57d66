using AdaptivePool.Dispatch.Items;

namespace AdaptivePool;

/// <summary>An item in a bounded queue. It knows since when it waits. It is not created where no bound is set.</summary>
internal sealed class BoundedItem(WorkClass owner, QueueBound bound, IThreadPoolWorkItem item) : IThreadPoolWorkItem
{
    private readonly long _queuedAt = Stopwatch.GetTimestamp();

    /// <summary>How long the item has waited.</summary>
    public TimeSpan Age => Stopwatch.GetElapsedTime(_queuedAt);

    /// <summary>The item that waits.</summary>
    public IThreadPoolWorkItem Item => item;

    /// <summary>Notifies an item that it is not run. For an item that cannot be notified, the thrown exception is the only notice.</summary>
    public static void Refuse(IThreadPoolWorkItem item, WorkRefusedException refusal)
    {
        if (item is not IRefusableWorkItem refusable)
        {
            throw refusal;
        }

        refusable.Refuse(refusal);
    }

    public void Execute()
    {
        // An item that its caller has cancelled is not refused.
        if (bound.Begin(_queuedAt, isCancelled: item is IAsyncItem<RealSync> { Common.IsDecided: true }) is { } refusal)
        {
            Refuse(item, refusal);
            return;
        }

        owner.EnterFor(item);
        item.Execute();
    }
}
