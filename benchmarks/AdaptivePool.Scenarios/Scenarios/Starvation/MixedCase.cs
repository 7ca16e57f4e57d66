namespace AdaptivePool.Scenarios.Scenarios.Starvation;

/// <summary>Blockers that arrive among short items.</summary>
/// <param name="Blockers">How many; a quarter of each kind.</param>
/// <param name="ArriveOver">Time over which they arrive; zero: at once.</param>
/// <param name="Load">Who else uses the CPU.</param>
/// <param name="OtherClass">Whether the short items are a class of their own.</param>
public sealed record MixedCase(int Blockers, TimeSpan ArriveOver = default, OtherCpuUse Load = OtherCpuUse.None, bool OtherClass = false);
