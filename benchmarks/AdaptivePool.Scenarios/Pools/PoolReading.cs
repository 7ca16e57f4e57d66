namespace AdaptivePool.Scenarios.Pools;

/// <summary>A pool at one moment.</summary>
/// <param name="Threads">Threads alive.</param>
/// <param name="HoldingWork">Threads that hold an item, blocked or not; equal to <paramref name="Threads"/> where the pool does not tell.</param>
/// <param name="Target">Threads that the pool wants; equal to <paramref name="Threads"/> where the pool does not tell.</param>
/// <param name="Peak">Most threads so far, where the pool keeps it; otherwise <paramref name="Threads"/>.</param>
public readonly record struct PoolReading(int Threads, int HoldingWork, int Target, int Peak);
