namespace AdaptivePool.Blocking;

/// <summary>What one look shows about a possible deadlock.</summary>
/// <param name="Size">Workers alive without those started because of a deadlock, or the sum of the limits when that is more.</param>
/// <param name="MaxThreads">How many workers there may be.</param>
/// <param name="Active">Workers that hold an item. Those that are lent because of a deadlock do not count, here and below.</param>
/// <param name="Blocked">Those of them that are blocked.</param>
/// <param name="Queued">Items waiting.</param>
/// <param name="Heartbeats">Sum of the workers' heartbeats: changes when any of them starts or ends an item.</param>
/// <param name="ActiveHeartbeats">The same for the workers that hold an item.</param>
/// <param name="IsFixed">Whether all that waits needs a size that is fixed and used up: no more threads will come for it, whatever the maximum.</param>
internal readonly record struct DeadlockObservation(
    int Size, int MaxThreads, int Active, int Blocked, long Queued, long Heartbeats, long ActiveHeartbeats, bool IsFixed = false);
