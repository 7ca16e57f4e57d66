namespace AdaptivePool.Control;

/// <summary>Looks for nothing: whatever size is in force stays, within its bounds.</summary>
/// <param name="interval">How long until it is asked again.</param>
internal sealed class HeldSize(TimeSpan interval) : ISizeSearch
{
    /// <inheritdoc/>
    public ControllerState State => ControllerState.Usual;

    /// <inheritdoc/>
    public int BaseSize { get; private set; }

    /// <inheritdoc/>
    public SizeDecision Update(in PoolSample sample)
    {
        SizeDecision decision = FixedController.Decide(sample.Target, "Disabled", sample);
        BaseSize = decision.Target;
        return decision with { NextInterval = interval };
    }

    /// <inheritdoc/>
    public void Reinitialize(int target, DecisionReason reason) => BaseSize = target;
}
