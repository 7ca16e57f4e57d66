using AdaptivePool.Dispatch.Items;

namespace AdaptivePool;

/// <summary>An item in a queue that is bounded: knows since when it waits. Not made where no bound is set.</summary>
internal sealed class BoundedItem(WorkClass owner, QueueBound bound, IThreadPoolWorkItem item) : IThreadPoolWorkItem
{
    private readonly long _queuedAt = Stopwatch.GetTimestamp();

    /// <summary>How long it waits.</summary>
    public TimeSpan Age => Stopwatch.GetElapsedTime(_queuedAt);

    /// <summary>What waits.</summary>
    public IThreadPoolWorkItem Item => item;

    /// <summary>Tells an item that it is not run; nobody else hears of one that cannot be told, but by what is thrown.</summary>
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
        // Whose caller has cancelled it is refused nothing.
        if (bound.Begin(_queuedAt, isCancelled: item is IAsyncItem<RealSync> { Common.IsDecided: true }) is { } refusal)
        {
            Refuse(item, refusal);
            return;
        }

        owner.EnterFor(item);
        item.Execute();
    }
}
