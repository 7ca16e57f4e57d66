namespace AdaptivePool.Control;

/// <summary>What a <see cref="HillClimbingController"/> is doing.</summary>
internal enum ControllerState
{
    /// <summary>The wave runs: the search continues.</summary>
    Usual,

    /// <summary>There is no trend. The search goes down in steps to the smallest size that is as good (seed 000, "Our solution").</summary>
    Plateau,

    /// <summary>The best size is known within the wanted accuracy. There is no wave for a while, which is longer each time the size has not moved. In the
    /// seed's profile there is none until the workload changes.</summary>
    Optimized,

    /// <summary>No work waits in the queue. No size can be judged, so none is tried.</summary>
    DemandLimited,
}
