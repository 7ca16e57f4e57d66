using System.Diagnostics;
using AdaptivePool.Scenarios.Harness;
using AdaptivePool.Scenarios.Load;
using AdaptivePool.Scenarios.Pools;

namespace AdaptivePool.Scenarios.Scenarios.Starvation;

/// <summary>Items that block: all at once on a cold pool, or among short items.</summary>
public sealed class StarvationScenario : Scenario
{
    private const string Continuations = "continuations-200";
    private const string Loops = "loops-1000x100ms";
    private const string AfterShorter = "200x1s-after-50ms";
    private const string Mixture = "mixture-300x1s";
    private const string MixtureOfReads = "mixture-sockets-300x1s";

    private static readonly Dictionary<string, MixedCase> s_mixed = new(StringComparer.Ordinal)
    {
        ["mixed-64"] = new(64),
        ["mixed-300"] = new(300),
        ["mixed-64-completing"] = new(64, ArriveOver: TimeSpan.FromMilliseconds(250)),
        ["mixed-64-cpu-busy"] = new(64, Load: OtherCpuUse.Processes),
        ["mixed-64-threads-busy"] = new(64, Load: OtherCpuUse.Threads),
        ["mixed-64-class"] = new(64, OtherClass: true),
    };

    private static readonly Dictionary<string, int> s_idleClasses = new(StringComparer.Ordinal)
    {
        ["idle-classes-40"] = 40,
        ["idle-classes-300"] = 300,
        ["idle-classes-9998"] = 9_998,
    };

    /// <inheritdoc/>
    public override string Name => "starvation";

    /// <inheritdoc/>
    public override string Description => "items that block, on a cold pool with a probe item queued behind them, or among short items that arrive steadily";

    /// <inheritdoc/>
    public override IReadOnlyList<ScenarioCase> Cases { get; } =
    [
        new("200x1s", "200 items that sleep 1 s"),
        new(AfterShorter, "the same after a second in which two at a time have slept 50 ms: the partner has become slow"),
        new(Mixture, "300 items that sleep 1 s among 3,000 that sleep 1 ms, after 1,000 items have shared 16 permits for 20 ms each"),
        new(MixtureOfReads, "the same, but each item reads the answer of a partner from a socket: nobody is told that it sleeps"),
        new("1000x100ms", "1,000 items that sleep 100 ms"),
        new(Loops, "three loops of Parallel.For, one after the other, each of 1,000 turns that sleep 100 ms; the time of all three"),
        new(Continuations, "200 functions that await one result and then sleep 50 ms, counted from the result: the sleeps are work in flight"),
        new("mixed-64", "64 blockers (sleep, socket read, lock, Task.Wait) at once among 500 items of 0.1 ms per second; blocked for 4 s"),
        new("mixed-300", "the same with 300 blockers"),
        new("mixed-64-completing", "64 blockers one by one over 250 ms, so that short items keep completing between them"),
        new("mixed-64-cpu-busy", "64 blockers while another process per core uses the CPU"),
        new("mixed-64-threads-busy", "64 blockers while a thread per core outside of the pool uses the CPU") { IsQuick = false },
        new("mixed-64-class", "64 blockers, the short items in a class of their own") { IsQuick = false },
        new("idle-classes-40",
            "at most 32 threads: 64 items of one class that sleep 200 ms, after 40 other classes have run an item each; the time as a multiple of that "
            + "without other classes"),
        new("idle-classes-300", "the same with 300 other classes") { IsQuick = false },
        new("idle-classes-9998", "the same with 9,998, the most that a pool may have") { IsQuick = false },
    ];

    /// <inheritdoc/>
    public override IReadOnlyList<MetricInfo> Metrics { get; } =
    [
        new("all-done-s", "s", Better.Lower),
        new("probe-start-ms", "ms", Better.Lower),
        new("short-p99-ms", "ms", Better.Lower),
        new("recovery-ms", "ms", Better.Lower),
        new("peak-threads", "threads"),
        new("to-alone", "x"),
    ];

    /// <inheritdoc/>
    public override void RunChild(ChildContext child)
    {
        if (s_mixed.TryGetValue(child.Case, out MixedCase? mixed))
        {
            MixedRun.Run(child, mixed);
            return;
        }

        if (s_idleClasses.TryGetValue(child.Case, out int others))
        {
            IdleClassesRun.Run(child, others);
            return;
        }

        if (child.Case == Loops)
        {
            RunLoops(child);
            return;
        }

        if (child.Case is Mixture or MixtureOfReads)
        {
            MixtureRun.Run(child, reads: child.Case == MixtureOfReads);
            return;
        }

        BlockerBatch batch = child.Case switch
        {
            "200x1s" or AfterShorter => new(200, 1_000),
            Continuations => new(200, 50),
            _ => new(1_000, 100),
        };
        if (child.Case == AfterShorter)
        {
            RunShorter(child.Pool);
        }

        PeakSampler sampler = new(child.Pool);
        TimeSpan limit = child.Seconds(120, 14);
        long start = child.Case == Continuations ? batch.ContinueAll(child.Pool) : batch.QueueAll(child.Pool);
        bool done = batch.Wait(limit);
        double seconds = done ? batch.EndedAfter(start).TotalSeconds : limit.TotalSeconds;
        TimeSpan? probe = batch.ProbeStartedAfter;
        child.Report("all-done-s", seconds, censored: !done);
        child.Report("probe-start-ms", (probe ?? limit).TotalMilliseconds, censored: probe is null);
        child.Report("peak-threads", sampler.Peak);
    }

    private static void RunLoops(ChildContext child)
    {
        PeakSampler sampler = new(child.Pool);
        var options = new ParallelOptions { TaskScheduler = child.Pool.Factory.Scheduler! };
        long start = Stopwatch.GetTimestamp();
        for (int i = 0; i < 3; i++)
        {
            Parallel.For(0, 1_000, options, static _ => Thread.Sleep(100));
        }

        child.Report("all-done-s", Stopwatch.GetElapsedTime(start).TotalSeconds);
        child.Report("peak-threads", sampler.Peak);
    }

    private static void RunShorter(ComparedPool pool)
    {
        for (int i = 0; i < 20; i++)
        {
            Task.WaitAll(pool.Run(Sleep), pool.Run(Sleep));
        }

        static void Sleep() => Thread.Sleep(50);
    }
}
