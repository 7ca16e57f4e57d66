using System.Threading.RateLimiting;
using AdaptivePool.Admission;

namespace AdaptivePool.Scenarios.Scenarios.Gate;

/// <summary>Many asynchronous flows at a small gate: what waiting and being let in costs, the runtime's pool included.</summary>
public sealed class WaitingPasses(RateLimiter limiter) : GatePasses
{
    /// <summary>How many may be inside.</summary>
    public const int Permits = 4;
    private const int Flows = 64;

    /// <summary>Share of the time of its permits in which they were held while somebody waited; only a gate of ours knows.</summary>
    public double? Busy => (limiter as TransactionGate)?.GetSnapshot().BusyWhileWaiting;

    /// <inheritdoc/>
    public override void Run(int count) => Task.WhenAll(Enumerable.Range(0, Flows).Select(_ => Task.Run(() => PassAsync(count / Flows)))).GetAwaiter().GetResult();

    private async Task PassAsync(int count)
    {
        for (int i = 0; i < count; i++)
        {
            using RateLimitLease lease = await limiter.AcquireAsync(1);
            if (!lease.IsAcquired)
            {
                throw new InvalidOperationException("A wait was refused.");
            }

            await Task.Yield();
        }
    }
}
