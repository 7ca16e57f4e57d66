namespace AdaptivePool.Control;

/// <summary>A size that was found best for one kind of work of one class.</summary>
/// <param name="ClassName">The work class.</param>
/// <param name="Profile">The kind of work.</param>
/// <param name="Size">The size, in threads; one or more.</param>
/// <param name="ThroughputPerSecond">Completions per second there; more than zero.</param>
/// <param name="IsDemandLimited">There was no work for more: whether a bigger size would be better is not known.</param>
public readonly record struct OptimumRecord(string ClassName, WorkloadProfile Profile, int Size, double ThroughputPerSecond, bool IsDemandLimited = false);
