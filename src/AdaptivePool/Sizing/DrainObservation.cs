namespace AdaptivePool.Sizing;

/// <summary>What is seen of the end of a pool, and of the work for which the pool waits.</summary>
/// <param name="SpentSeconds">Time of the end that has already passed. It is counted at the first look only.</param>
/// <param name="IsExiting">Whether the process exits.</param>
/// <param name="Heartbeats">Changes whenever an item starts or ends, and when a worker ends.</param>
/// <param name="CpuSeconds">CPU that workers were seen to use.</param>
internal readonly record struct DrainObservation(double SpentSeconds, bool IsExiting, long Heartbeats, double CpuSeconds);
