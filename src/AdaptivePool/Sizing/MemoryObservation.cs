namespace AdaptivePool.Sizing;

/// <summary>The values that the memory guard gets at one look.</summary>
/// <param name="Now">Time since an arbitrary start; never goes back.</param>
/// <param name="UsedShare">Memory in use as a share of the nearest limit; NaN when not known.</param>
/// <param name="Existing">Threads of the pool, those that are being started included.</param>
/// <param name="Runnable">The number of these threads that were not seen to wait inside an item.</param>
/// <param name="Progress">Changes whenever an item starts or ends.</param>
/// <param name="Waiting">Whether work waits.</param>
/// <param name="Ended">Changes whenever an item ends.</param>
/// <param name="Most">Threads that may exist until the memory is read again (<see cref="MemoryGrowthRule"/>).</param>
/// <param name="HasRoom">Whether <paramref name="Most"/> was larger than the number of threads at the time of that reading.</param>
internal readonly record struct MemoryObservation(
    TimeSpan Now, double UsedShare, int Existing, int Runnable, long Progress, bool Waiting, long Ended, int Most, bool HasRoom);
