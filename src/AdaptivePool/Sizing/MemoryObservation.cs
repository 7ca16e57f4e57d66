namespace AdaptivePool.Sizing;

/// <summary>What the memory guard is told at one look.</summary>
/// <param name="Now">Time since an arbitrary start; never goes back.</param>
/// <param name="UsedShare">Memory used as a share of the limit it is nearest to; NaN when not known.</param>
/// <param name="Existing">Threads of the pool, those that are being started included.</param>
/// <param name="Runnable">Of these, such as were not seen to wait inside an item.</param>
/// <param name="Progress">Changes whenever an item starts or ends.</param>
/// <param name="Waiting">Whether work waits.</param>
/// <param name="Ended">Changes whenever an item ends.</param>
/// <param name="Most">Threads that may exist until the memory is read again (<see cref="MemoryGrowthRule"/>).</param>
/// <param name="HasRoom">Whether these were more than there were threads at that time.</param>
internal readonly record struct MemoryObservation(
    TimeSpan Now, double UsedShare, int Existing, int Runnable, long Progress, bool Waiting, long Ended, int Most, bool HasRoom);
