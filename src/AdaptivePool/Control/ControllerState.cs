namespace AdaptivePool.Control;

/// <summary>What a <see cref="HillClimbingController"/> is doing.</summary>
internal enum ControllerState
{
    /// <summary>The wave runs: the search goes on.</summary>
    Usual,

    /// <summary>No trend: going down in steps to the smallest size that is as good (seed 000, "Our solution").</summary>
    Plateau,

    /// <summary>The best size is known within the wanted accuracy: no wave for a while, longer each time nothing has moved, or, in the seed's profile, until
    /// the workload changes.</summary>
    Optimized,

    /// <summary>Nothing waits in the queue: no size can be judged, so none is tried.</summary>
    DemandLimited,
}
