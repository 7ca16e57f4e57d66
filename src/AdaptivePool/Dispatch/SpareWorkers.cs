using AdaptivePool.Dispatch.Queues;
using AdaptivePool.Internal;

namespace AdaptivePool.Dispatch;

/// <summary>
/// The workers with local work that a thief may take. Noted by the owner without a fence: who misses it loses time and not the item, which its owner runs; the
/// owner notes it again with its next push and its next item, and the sizing thread when an item runs on.
/// </summary>
/// <typeparam name="TSync">The machine or its model.</typeparam>
internal sealed class SpareWorkers<TSync>(WorkerSet<TSync> set, int capacity) : ReadySet<TSync>(capacity)
    where TSync : struct, ISync
{
    protected override bool IsReady(int number) => set.WorkerOf(number) is { HasSpareLocal: true };
}
