namespace AdaptivePool.SeedWave;

/// <summary>What is summed until a change is due.</summary>
public enum ProgressReading
{
    /// <summary>The real part as it comes, noise included.</summary>
    Raw,

    /// <summary>The real part times its confidence, which is one third of its ratio to the noise and at most one: calmer, and slow where the noise is large.</summary>
    SignalToNoise,
}
