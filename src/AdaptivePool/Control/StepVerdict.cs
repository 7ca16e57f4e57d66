namespace AdaptivePool.Control;

/// <summary>What the evidence says about the present size.</summary>
internal enum StepVerdict
{
    /// <summary>Both directions are decided against: stay, and rest.</summary>
    Stay,

    /// <summary>Below is decided against; above no gain has shown, but none is excluded: stay, and ask again soon.</summary>
    Pause,

    /// <summary>Go to the lower size.</summary>
    Down,

    /// <summary>Go to the higher size.</summary>
    Up,

    /// <summary>Ask below.</summary>
    ProbeDown,

    /// <summary>Ask above.</summary>
    ProbeUp,
}
