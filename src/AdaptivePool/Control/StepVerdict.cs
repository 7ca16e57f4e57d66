namespace AdaptivePool.Control;

/// <summary>What the evidence says about the present size.</summary>
public enum StepVerdict
{
    /// <summary>Both directions are decided against: stay, and rest.</summary>
    Stay,

    /// <summary>Go to the lower size.</summary>
    Down,

    /// <summary>Go to the higher size.</summary>
    Up,

    /// <summary>Ask below.</summary>
    ProbeDown,

    /// <summary>Ask above.</summary>
    ProbeUp,
}
