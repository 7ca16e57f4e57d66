using System.Diagnostics;
using AdaptivePool.Diagnostics;
using AdaptivePool.Dispatch;

namespace AdaptivePool;

/// <summary>An item in a queue that is bounded: knows since when it waits. Not made where no bound is set.</summary>
internal sealed class BoundedItem(WorkClass owner, QueueBound bound, IThreadPoolWorkItem item) : IThreadPoolWorkItem
{
    private readonly long _queuedAt = Stopwatch.GetTimestamp();

    /// <summary>How long it waits.</summary>
    public TimeSpan Age => Stopwatch.GetElapsedTime(_queuedAt);

    /// <summary>What waits, in a word or two.</summary>
    public string Description => QueueStatistics.Describe(item);

    public void Execute()
    {
        if (bound.Begin(_queuedAt) is { } refusal)
        {
            Worker.CurrentOf(owner.Pool.Set)?.LeaveOut();
            if (item is IRefusableWorkItem refusable)
            {
                refusable.Refuse(refusal);
                return;
            }

            // Nobody else hears of it.
            throw refusal;
        }

        owner.EnterFor(item);
        item.Execute();
    }
}
