using AdaptivePool.Control;
using AdaptivePool.Simulation.Curves;

namespace AdaptivePool.Simulation.Controllers;

/// <summary>Knows the curve and takes its smallest best size: what no controller can beat.</summary>
/// <param name="curve">The curve in force.</param>
public sealed class OracleController(Func<CostCurve> curve) : IPoolController
{
    private static readonly TimeSpan s_interval = TimeSpan.FromMilliseconds(100);

    /// <inheritdoc/>
    public SizeDecision Update(in PoolSample sample)
    {
        int target = Math.Clamp(curve().SmallestBestSize, sample.MinTarget, sample.MaxTarget);
        return new(target, s_interval, DecisionReason.Optimized,
            new ControllerTrace { From = sample.Target, To = target, Reason = DecisionReason.Optimized, State = "Oracle" });
    }

    /// <inheritdoc/>
    public void Reinitialize(int target, DecisionReason reason)
    {
        // Nothing was learned that could be forgotten.
    }
}
