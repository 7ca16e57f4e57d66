namespace AdaptivePool.Blocking;

/// <summary>What one look at the workers counted.</summary>
/// <param name="Workers">Workers alive.</param>
/// <param name="Active">Those that hold an item.</param>
/// <param name="Blocked">Those of them that are blocked.</param>
/// <param name="Deadlock">The same, as the deadlock rule needs it: without emergency threads.</param>
internal readonly record struct WorkerCount(int Workers, int Active, int Blocked, DeadlockObservation Deadlock);
