namespace AdaptivePool.Control;

/// <summary>A controller that always keeps one size. It is the baseline of tests and benchmarks, and the way to switch sizing off.</summary>
public sealed class FixedController : IPoolController
{
    private static readonly TimeSpan s_interval = TimeSpan.FromSeconds(1);

    /// <summary>Creates the controller.</summary>
    /// <param name="target">The size to keep, in threads; one or more.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="target"/> is less than 1.</exception>
    public FixedController(int target)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(target, 1);
        Size = target;
    }

    internal int Size { get; }

    /// <inheritdoc/>
    public SizeDecision Update(in PoolSample sample) => Decide(Size, "Fixed", sample);

    /// <inheritdoc/>
    public void Reinitialize(int target, DecisionReason reason)
    {
        // A fixed size has learned nothing that could be forgotten.
    }

    /// <summary>Returns a size that no measurement has found.</summary>
    /// <param name="size">The size, in threads; cut to the bounds.</param>
    /// <param name="state">The origin of the size, in words.</param>
    /// <param name="sample">The sample.</param>
    internal static SizeDecision Decide(int size, string state, in PoolSample sample)
    {
        int target = Math.Clamp(size, sample.MinTarget, Math.Max(sample.MinTarget, sample.MaxTarget));
        double seconds = sample.Elapsed.TotalSeconds;
        return new(target, s_interval, DecisionReason.Hold, new ControllerTrace
        {
            From = sample.Target,
            To = target,
            Reason = DecisionReason.Hold,
            State = state,
            ThroughputPerSecond = seconds > 0 ? sample.Completions / seconds : 0,
        });
    }
}
