namespace AdaptivePool.Control;

/// <summary>On which side of the present size a wave probes.</summary>
internal enum WaveSide
{
    /// <summary>The present size is the upper half; the wave dips below it.</summary>
    Down,

    /// <summary>The present size is the lower half; the wave rises above it (the only side of seed 000).</summary>
    Up,
}
