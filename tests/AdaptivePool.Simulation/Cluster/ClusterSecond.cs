namespace AdaptivePool.Simulation.Cluster;

/// <summary>A second of a backend.</summary>
/// <param name="At">When it began.</param>
/// <param name="Arrived">Requests that arrived.</param>
/// <param name="Completed">Requests that ended.</param>
/// <param name="Threads">Threads of its pool.</param>
/// <param name="Point">Its overload point at the end; <see langword="null"/> for none.</param>
public readonly record struct ClusterSecond(double At, long Arrived, long Completed, int Threads, double? Point);
