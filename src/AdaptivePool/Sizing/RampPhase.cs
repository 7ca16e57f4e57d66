namespace AdaptivePool.Sizing;

/// <summary>Where the ramp stands.</summary>
internal enum RampPhase
{
    /// <summary>Measures the verified size.</summary>
    Baseline,

    /// <summary>The verified size is measured; the next step is to be chosen.</summary>
    Step,

    /// <summary>Measures a size on trial.</summary>
    Trial,

    /// <summary>No step to take now.</summary>
    Rest,
}
