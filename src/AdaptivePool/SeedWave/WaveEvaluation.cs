namespace AdaptivePool.SeedWave;

/// <summary>When the wave is read.</summary>
public enum WaveEvaluation
{
    /// <summary>After every sample, as the founding document's <c>update()</c> does: soon, but three of four windows see a drift as an effect of the size.</summary>
    EverySample,

    /// <summary>At the end of each period only, where a linear drift adds nothing to the real part.</summary>
    EveryPeriod,
}
