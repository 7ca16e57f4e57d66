using System.Threading.RateLimiting;
using AdaptivePool.Admission;

namespace AdaptivePool.Scenarios.Scenarios.Gate;

/// <summary>Leases of our gate, as a transaction takes them.</summary>
/// <param name="flows">Whether they flow with the async context.</param>
public sealed class OurLeases(bool flows) : GatePasses
{
    private readonly TransactionGate _gate = CreateGate(64, flows);

    /// <summary>A gate as an application has it.</summary>
    public static TransactionGate CreateGate(int permits, bool flows) => new(new TransactionGateOptions { PermitLimit = permits, FlowsWithContext = flows });

    /// <inheritdoc/>
    public override void Run(int count) => InBlocks(count, Pass);

    private void Pass(int count)
    {
        TransactionGate gate = _gate;
        for (int i = 0; i < count; i++)
        {
            using RateLimitLease lease = gate.AttemptAcquire();
            if (!lease.IsAcquired)
            {
                throw new InvalidOperationException("A gate with room refused a lease.");
            }
        }
    }
}
