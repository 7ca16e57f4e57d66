namespace AdaptivePool.Control;

/// <summary>Keeps one size for ever: the baseline of tests and benchmarks, and the way to switch sizing off.</summary>
public sealed class FixedController : IPoolController
{
    private static readonly TimeSpan s_interval = TimeSpan.FromSeconds(1);
    private readonly int _target;

    /// <summary>Creates the controller.</summary>
    /// <param name="target">The size to keep, in threads; one or more.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="target"/> is under 1.</exception>
    public FixedController(int target)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(target, 1);
        _target = target;
    }

    /// <inheritdoc/>
    public SizeDecision Update(in PoolSample sample)
    {
        int target = Math.Clamp(_target, sample.MinTarget, Math.Max(sample.MinTarget, sample.MaxTarget));
        double seconds = sample.Elapsed.TotalSeconds;
        return new(target, s_interval, DecisionReason.Hold, new ControllerTrace
        {
            From = sample.Target,
            To = target,
            Reason = DecisionReason.Hold,
            State = "Fixed",
            ThroughputPerSecond = seconds > 0 ? sample.Completions / seconds : 0,
        });
    }

    /// <inheritdoc/>
    public void Reinitialize(int target, DecisionReason reason)
    {
        // A fixed size has learned nothing that could be forgotten.
    }
}
