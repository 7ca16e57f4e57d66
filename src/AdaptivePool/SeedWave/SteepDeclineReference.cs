namespace AdaptivePool.SeedWave;

/// <summary>With which sample an unnaturally steep decline is measured.</summary>
public enum SteepDeclineReference
{
    /// <summary>The sample at the same place of the wave one period earlier, if it had the same size.</summary>
    SamePhase,

    /// <summary>The sample just before, whatever its size: at small sizes the wave itself is a steep decline.</summary>
    PreviousSample,
}
