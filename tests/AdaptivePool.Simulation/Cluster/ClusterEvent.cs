namespace AdaptivePool.Simulation.Cluster;

/// <summary>Something that happens.</summary>
internal readonly record struct ClusterEvent(ClusterEventKind Kind, ClusterRequest? Request, int Backend, Action? Action);
