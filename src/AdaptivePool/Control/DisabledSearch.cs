namespace AdaptivePool.Control;

/// <summary>A search that is switched off: it keeps the size in force, whatever it is.</summary>
/// <param name="interval">Length of the samples that it asks for.</param>
internal sealed class DisabledSearch(TimeSpan interval) : ISizeSearch
{
    /// <summary>The name of its state in traces.</summary>
    public const string Name = "Disabled";

    /// <inheritdoc/>
    public ControllerState State => ControllerState.Usual;

    /// <inheritdoc/>
    public int BaseSize { get; private set; }

    /// <inheritdoc/>
    public int InForce => BaseSize;

    /// <inheritdoc/>
    public SizeDecision Update(in PoolSample sample)
    {
        BaseSize = Math.Clamp(sample.Target, sample.MinTarget, sample.MaxTarget);
        return FixedController.Decide(BaseSize, Name, sample) with { NextInterval = interval };
    }

    /// <inheritdoc/>
    public void Reinitialize(int target, DecisionReason reason) => BaseSize = target;
}
