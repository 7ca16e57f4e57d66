using AdaptivePool.Admission;

namespace AdaptivePool.Scenarios.Scenarios.Gate;

/// <summary>Passes of our gate.</summary>
public sealed class OurPasses(int threads) : GatePasses
{
    private readonly TransactionGate _gate = new(new TransactionGateOptions { PermitLimit = 64 });

    /// <inheritdoc/>
    public override void Run(int count) => Divide(count, threads, Pass);

    private void Pass(int count)
    {
        TransactionGate gate = _gate;
        for (int i = 0; i < count; i++)
        {
            using TransactionPass pass = gate.AttemptPass();
            if (!pass.IsAcquired)
            {
                throw new InvalidOperationException("A gate with room let a pass wait.");
            }
        }
    }
}
