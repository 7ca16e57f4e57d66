using System.Runtime.CompilerServices;
using AdaptivePool.Balancing;

namespace AdaptivePool.Yarp.Tests;

public sealed class ProxyMetricsTests
{
    [Fact]
    public void Watch_DestinationsComeAndGoAndNobodyReads_KeepsNoNamesOfThoseThatWent()
    {
        using ProxyMetrics metrics = new();
        BackendState stays = new("stays", TimeSpan.Zero);
        metrics.Watch("cluster", stays);
        for (int i = 0; i < 20; i++)
        {
            ComeAndGo(metrics);
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }

        metrics.Watched.ShouldBeLessThan(300, "of 2,000");
        GC.KeepAlive(stays);

        [MethodImpl(MethodImplOptions.NoInlining)]
        static void ComeAndGo(ProxyMetrics metrics)
        {
            for (int i = 0; i < 100; i++)
            {
                metrics.Watch("cluster", new BackendState($"pod-{Guid.NewGuid()}", TimeSpan.Zero));
            }
        }
    }

    /// <summary>Each new name looked through all others: 10,000 destinations held up the first request for seconds, and all others behind it.</summary>
    [Fact]
    public void Watch_VeryManyDestinations_DoesNotLookThroughAllForEach()
    {
        using ProxyMetrics metrics = new();
        BackendState state = new("pod", TimeSpan.Zero);
        for (int i = 0; i < 10_000; i++)
        {
            metrics.Watch($"cluster-{i}", state);
        }

        metrics.Watched.ShouldBe(10_000);
        metrics.Swept.ShouldBeInRange(1, 2 * 10_000, "50 million where each looks through all");
        GC.KeepAlive(state);
    }
}
