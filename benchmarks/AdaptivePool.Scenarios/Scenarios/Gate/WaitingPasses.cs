using System.Diagnostics;
using System.Threading.RateLimiting;
using AdaptivePool.Admission;

namespace AdaptivePool.Scenarios.Scenarios.Gate;

/// <summary>Many asynchronous flows at a small gate: what waiting and being let in costs, the runtime's pool included, and how busy the gate keeps its
/// slots.</summary>
/// <param name="limiter">The gate.</param>
/// <param name="transact">What each does inside; <see langword="null"/> for nothing but to go once through the runtime's pool.</param>
public sealed class WaitingPasses(RateLimiter limiter, Func<Task>? transact = null) : GatePasses
{
    /// <summary>How many may be inside.</summary>
    public const int Permits = 4;
    private const int Flows = 64;
    private static readonly TimeSpan s_busy = TimeSpan.FromMicroseconds(100);
    private static readonly TimeSpan s_wait = TimeSpan.FromMilliseconds(1);

    /// <summary>Share of the time of its permits in which they were held while a caller waited; only a gate of ours knows.</summary>
    public double? Busy => (limiter as TransactionGate)?.GetSnapshot().BusyWhileWaiting;

    /// <inheritdoc/>
    public override void Run(int count)
        => Task.WhenAll(Enumerable.Range(0, Flows).Select(_ => Task.Run(() => PassAsync(count / Flows)))).GetAwaiter().GetResult();

    private async Task PassAsync(int count)
    {
        for (int i = 0; i < count; i++)
        {
            using RateLimitLease lease = await limiter.AcquireAsync(1);
            if (!lease.IsAcquired)
            {
                throw new InvalidOperationException("A wait was refused.");
            }

            // Here and not in a method of its own, which would cost as much as what is measured.
            if (transact is null)
            {
                await Task.Yield();
            }
            else
            {
                await transact();
            }
        }
    }

    /// <summary>A transaction that computes for about 100 us.</summary>
    public static async Task Compute()
    {
        await Task.Yield();
        long start = Stopwatch.GetTimestamp();
        while (Stopwatch.GetElapsedTime(start) < s_busy)
        {
            Thread.SpinWait(1);
        }
    }

    /// <summary>A transaction that waits asynchronously for 1 ms, as one whose database is elsewhere; some ms where timers are coarse.</summary>
    public static Task Wait() => Task.Delay(s_wait);
}
