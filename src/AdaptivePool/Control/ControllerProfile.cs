namespace AdaptivePool.Control;

/// <summary>Which search a <see cref="HillClimbingController"/> uses.</summary>
public enum ControllerProfile
{
    /// <summary>Paired probes counted in completions, decided by a sequential test, with rests: the one that wins.</summary>
    Adaptive,

    /// <summary>The controller of the founding document, whole: its wave, its heuristics, its 33 parameters.</summary>
    SeedWave,
}
