namespace AdaptivePool.Scenarios.Pools;

/// <summary>Brings awaits back to a <see cref="FixedPool"/>.</summary>
public sealed class FixedPoolContext(FixedPool pool) : SynchronizationContext
{
    /// <inheritdoc/>
    public override void Post(SendOrPostCallback d, object? state) => pool.Add((Action)(() => d(state)));

    /// <inheritdoc/>
    public override SynchronizationContext CreateCopy() => this;
}
