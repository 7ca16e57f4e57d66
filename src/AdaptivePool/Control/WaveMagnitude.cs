namespace AdaptivePool.Control;

/// <summary>How the height of the wave is measured.</summary>
public enum WaveMagnitude
{
    /// <summary>A ratio of the present size: the same relative change at 2 threads and at 512.</summary>
    Relative,

    /// <summary>A number of threads, growing while nothing is found (seed 000).</summary>
    Absolute,
}
