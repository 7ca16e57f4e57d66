using System.Runtime.CompilerServices;
using AdaptivePool.Balancing;

namespace AdaptivePool.Yarp.Tests;

public sealed class ProxyMetricsTests
{
    [Fact]
    public void Watch_DestinationsComeAndGoAndNobodyReads_KeepsNoNamesOfThoseThatWent()
    {
        using ProxyMetrics metrics = new();
        ComeAndGo(metrics);
        GC.Collect();
        GC.WaitForPendingFinalizers();
        BackendState stays = new("stays", TimeSpan.Zero);
        metrics.Watch("cluster", stays);
        metrics.Watched.ShouldBe(1);
        GC.KeepAlive(stays);

        [MethodImpl(MethodImplOptions.NoInlining)]
        static void ComeAndGo(ProxyMetrics metrics)
        {
            for (int i = 0; i < 100; i++)
            {
                metrics.Watch("cluster", new BackendState($"pod-{i}", TimeSpan.Zero));
            }
        }
    }
}
