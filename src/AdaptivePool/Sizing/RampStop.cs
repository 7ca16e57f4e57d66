namespace AdaptivePool.Sizing;

/// <summary>Why the ramp rests.</summary>
internal enum RampStop
{
    /// <summary>It does not.</summary>
    None,

    /// <summary>Nothing waits.</summary>
    Demand,

    /// <summary>No idle CPU, so the model says nothing.</summary>
    CpuFull,

    /// <summary>A step was measured and refused.</summary>
    Refused,

    /// <summary>The highest limit, or the limit of hogs, is reached.</summary>
    Bound,
}
