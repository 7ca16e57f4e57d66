namespace AdaptivePool.Control;

/// <summary>What a <see cref="HillClimbingController"/> is doing.</summary>
public enum ControllerState
{
    /// <summary>The wave runs: the search goes on.</summary>
    Usual,

    /// <summary>A size proposed by the model N / utilisation is in force and being verified.</summary>
    ModelTrial,

    /// <summary>Both directions are decided: no wave for a while, longer each time nothing has moved.</summary>
    Rest,

    /// <summary>Nothing waits in the queue: no size can be judged, so none is tried.</summary>
    DemandLimited,
}
