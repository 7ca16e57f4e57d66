using AdaptivePool.Dispatch.Queues;
using AdaptivePool.Internal;

namespace AdaptivePool.Dispatch;

/// <summary>The root classes that have work, waiting or running. Noted by whoever queues; the sizing thread looks at these and at no others.</summary>
/// <typeparam name="TSync">The machine or its model.</typeparam>
internal sealed class UsedClasses<TSync>(WorkerSet<TSync> set, int capacity) : ReadySet<TSync>(capacity)
    where TSync : struct, ISync
{
    // A number may be seen before its class.
    protected override bool IsReady(int number) => set.Classes is var classes && number < classes.Length && classes[number] is { } found
        && (!found.Queue.IsEmpty || found.Limit.Active > 0);
}
