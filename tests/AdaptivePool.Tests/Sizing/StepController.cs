using AdaptivePool.Control;

namespace AdaptivePool.Tests.Sizing;

/// <summary>A controller that says what the test tells it, and remembers what it was told.</summary>
internal sealed class StepController(Func<PoolSample, int> target, Func<DecisionReason> reason) : IPoolController
{
    public StepController(Func<PoolSample, int> target, DecisionReason reason = DecisionReason.JumpUp)
        : this(target, () => reason)
    {
    }

    public List<PoolSample> Samples { get; } = [];

    public List<(int Target, DecisionReason Reason)> Restarts { get; } = [];

    public SizeDecision Update(in PoolSample sample)
    {
        Samples.Add(sample);
        DecisionReason now = reason();
        var trace = new ControllerTrace { Reason = now };
        return new(target(sample), TimeSpan.FromMilliseconds(100), now, trace) { IsTrial = now == DecisionReason.Wave };
    }

    public void Reinitialize(int target, DecisionReason reason) => Restarts.Add((target, reason));
}
