using System.Threading.RateLimiting;

namespace AdaptivePool.Scenarios.Scenarios.Gate;

/// <summary>Leases of the limiter that comes with .NET.</summary>
public sealed class PeerPasses(int threads) : GatePasses
{
    private readonly ConcurrencyLimiter _limiter = CreateLimiter(64);

    /// <summary>A limiter with a queue as long as our gate's.</summary>
    public static ConcurrencyLimiter CreateLimiter(int permits) => new(new ConcurrencyLimiterOptions { PermitLimit = permits, QueueLimit = 10_000 });

    /// <inheritdoc/>
    public override void Run(int count) => Divide(count, threads, Pass);

    private void Pass(int count)
    {
        for (int i = 0; i < count; i++)
        {
            using RateLimitLease lease = _limiter.AttemptAcquire(1);
            if (!lease.IsAcquired)
            {
                throw new InvalidOperationException("A limiter with room refused a lease.");
            }
        }
    }
}
