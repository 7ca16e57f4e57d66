using AdaptivePool.Simulation;
using AdaptivePool.Simulation.Curves;

namespace AdaptivePool.Tests.Simulation.Generators;

/// <summary>A random curve and the circumstances of one climb on it.</summary>
/// <param name="Curve">The curve.</param>
/// <param name="Start">The size to start from, in threads.</param>
/// <param name="Noise">Coefficient of variation of the throughput per tick.</param>
/// <param name="Correlation">Its autocorrelation.</param>
/// <param name="Seed">Seed of the noise.</param>
public sealed record RandomClimb(RandomCurve Curve, int Start, double Noise, double Correlation, int Seed)
{
    /// <summary>The circumstances.</summary>
    public SimulationSettings Settings => new() { Noise = Noise, Correlation = Correlation, Seed = Seed };

    /// <summary>Response time at the start, in seconds: far down a cliff every step takes so long.</summary>
    public double StartResponseSeconds => Start / Curve.Throughput(Start);

    /// <summary>Length of the climb, in virtual seconds: those of the bounds, and more where the start is slow.</summary>
    public double Seconds => ClimbBounds.Seconds + (ClimbBounds.ResponseTimesOfRun * StartResponseSeconds);

    /// <summary>One response time as a number of completions (Little's law), at the start or at the top, whichever is more.</summary>
    public double CompletionsPerResponseTime => Math.Max(Start, Curve.Top);

    /// <inheritdoc/>
    public override string ToString() => FormattableString.Invariant($"{Curve}, from {Start}, CV {Noise:F2}, autocorrelation {Correlation:F2}, seed {Seed}");
}
