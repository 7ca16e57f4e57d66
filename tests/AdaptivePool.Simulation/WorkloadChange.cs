using AdaptivePool.Simulation.Curves;

namespace AdaptivePool.Simulation;

/// <summary>From a moment on the work is another one.</summary>
/// <param name="At">Virtual time, in seconds.</param>
/// <param name="Curve">The curve from then on.</param>
public sealed record WorkloadChange(double At, CostCurve Curve);
