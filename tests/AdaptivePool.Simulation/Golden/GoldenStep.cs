namespace AdaptivePool.Simulation.Golden;

/// <summary>A change of size, or another reason for the same size.</summary>
/// <param name="Milliseconds">Virtual time, in milliseconds.</param>
/// <param name="Size">Size from then on, in threads.</param>
/// <param name="Reason">Why.</param>
public sealed record GoldenStep(long Milliseconds, int Size, string Reason);
