using System.Diagnostics;
using AdaptivePool.Scenarios.Harness;
using AdaptivePool.Scenarios.Load;

namespace AdaptivePool.Scenarios.Scenarios.Blocking;

/// <summary>What a pool spends on watching itself: CPU and wake-ups of its threads that are no workers.</summary>
public sealed class MonitorShare(ChildContext child)
{
    private const int Workers = 64;
    private const int Clients = 16;
    private const int SleepMilliseconds = 5;
    private const double ShortMilliseconds = 0.2;
    private const double ChunkMilliseconds = 1;
    private readonly CpuBurner _burner = child.CreateBurner();
    private volatile bool _stop;

    /// <summary>The metrics reported here.</summary>
    public static IReadOnlyList<MetricInfo> Metrics { get; } =
    [
        new("own-cpu-percent", "% of a core", Better.Lower),
        new("monitor-cpu-percent", "% of a core", Better.Lower),
        new("own-wakeups-per-s", "1/s", Better.Lower),
        new("worker-wakeups-per-s", "1/s"),
        new("busy-workers", "threads"),
    ];

    /// <summary>Measures and reports.</summary>
    public void Measure(MonitorLoad load)
    {
        if (load == MonitorLoad.Idle)
        {
            MeasureIdle();
        }
        else
        {
            MeasureBusy(computing: load == MonitorLoad.Computing);
        }
    }

    private void MeasureBusy(bool computing)
    {
        BlockedBurst burst = new(Workers, computing ? Compute : static () => { });
        burst.Start(child.Pool);
        burst.WaitUntilBlocked(child.Seconds(10, 4));
        if (computing)
        {
            burst.Release();
        }

        ClosedLoop beside = new(child.Pool.Whole, Clients, () =>
        {
            if (computing)
            {
                _burner.Burn(ShortMilliseconds);
            }
            else
            {
                Thread.Sleep(SleepMilliseconds);
            }
        });
        beside.Allow(Clients);
        Thread.Sleep(child.Seconds(2, 1));
        Watch(child.Seconds(10, 4));
        child.Report("busy-workers", child.Pool.Read().HoldingWork);
        _stop = true;
        burst.Release();
    }

    private void MeasureIdle()
    {
        for (int i = 0; i < 2; i++)
        {
            using CountdownEvent remaining = new(Workers);
            for (int item = 0; item < Workers; item++)
            {
                _ = child.Pool.Run(() =>
                {
                    Thread.Sleep(100);
                    remaining.Signal();
                });
            }

            remaining.Wait();
        }

        // What the burst left behind settles first.
        Thread.Sleep(child.Seconds(6, 3));
        Watch(child.Seconds(15, 5));
    }

    private void Watch(TimeSpan duration)
    {
        PoolThreads before = PoolThreads.Read(child.Pool);
        long start = Stopwatch.GetTimestamp();
        Thread.Sleep(duration);
        PoolThreads after = PoolThreads.Read(child.Pool);
        double seconds = Stopwatch.GetElapsedTime(start).TotalSeconds;
        child.Report("own-cpu-percent", 100 * (after.OwnCpuSeconds - before.OwnCpuSeconds) / seconds);
        child.Report("monitor-cpu-percent", 100 * (after.MonitorCpuSeconds - before.MonitorCpuSeconds) / seconds);
        child.Report("own-wakeups-per-s", (after.OwnSwitches - before.OwnSwitches) / seconds);
        child.Report("worker-wakeups-per-s", (after.WorkerSwitches - before.WorkerSwitches) / seconds);
    }

    private void Compute()
    {
        while (!_stop)
        {
            _burner.Burn(ChunkMilliseconds);
        }
    }
}
