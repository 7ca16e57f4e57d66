namespace AdaptivePool.SeedWave;

/// <summary>From which size the search begins again when the controller itself decides so.</summary>
public enum ReinitializedSize
{
    /// <summary>The present one.</summary>
    Keep,

    /// <summary>The one that the controller began with, or that was last set by somebody else.</summary>
    Initial,
}
