using AdaptivePool.Dispatch.Queues;
using AdaptivePool.Internal;

namespace AdaptivePool.Dispatch;

/// <summary>The root classes whose work may run and is not left to a worker that runs. Noted by whoever queues, gives back a slot or raises a limit.</summary>
/// <typeparam name="TSync">The machine or its model.</typeparam>
internal sealed class ReadyClasses<TSync>(WorkerSet<TSync> set, int capacity) : ReadySet<TSync>(capacity)
    where TSync : struct, ISync
{
    // A number may be seen before its class.
    protected override bool IsReady(int number) => number == set.SharedNumber
        ? set.Shares is { } shares && shares.Slots.HasRoom && shares.HasReady()
        : set.Classes is var classes && number < classes.Length && classes[number].IsEligible && classes[number].Share is null;
}
