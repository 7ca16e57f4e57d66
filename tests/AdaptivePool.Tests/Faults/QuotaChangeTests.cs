using AdaptivePool.Tests.Sensing;

namespace AdaptivePool.Tests.Faults;

/// <summary>An orchestrator changes the container's quota while the pool works.</summary>
public sealed class QuotaChangeTests : PoolTest
{
    [Fact]
    public void QuotaShrinks_HogsAreCutToIt()
    {
        using SystemFolder system = new SystemFolder("0-7").WithVersion2("/pod/web");
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { InitialThreads = 7 }, new PoolSurroundings { Budget = Budget, Root = system.Root });
        using var end = new CancellationTokenSource();
        Task[] hogs = [.. Enumerable.Range(0, 20).Select(_ => pool.Run(() =>
        {
            while (!end.IsCancellationRequested)
            {
                Thread.SpinWait(1_000);
            }
        }))];
        try
        {
            Eventually.Be(pool, static s => s.Running >= 7, "eight cores may have seven hogs");
            system.Write("/sys/fs/cgroup/pod/cpu.max", "100000 100000\n");
            Eventually.Be(() => pool.DefaultClass.GetSnapshot().Limit <= 2, "one core has two hogs");
        }
        finally
        {
            end.Cancel();
            Array.ForEach(hogs, static t => Eventually.End(t));
        }
    }
}
