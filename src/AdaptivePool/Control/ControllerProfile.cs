namespace AdaptivePool.Control;

/// <summary>Which search a <see cref="HillClimbingController"/> uses.</summary>
public enum ControllerProfile
{
    /// <summary>Paired probes that are counted in completions and decided by a sequential test, with rests between them. It gives the better results.</summary>
    Adaptive,

    /// <summary>The complete controller of the founding document: its wave, its heuristics and its 33 parameters.</summary>
    SeedWave,
}
