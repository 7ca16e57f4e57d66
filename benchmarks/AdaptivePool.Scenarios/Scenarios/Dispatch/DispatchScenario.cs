using System.Diagnostics;
using AdaptivePool.Scenarios.Harness;

namespace AdaptivePool.Scenarios.Scenarios.Dispatch;

/// <summary>What it costs to put an item through a pool, and how long a lone item waits for a thread.</summary>
public sealed class DispatchScenario : Scenario
{
    private const string Wake = "wake";
    private const string WakeSoon = "wake-0.3ms";
    private const int MinimumWarmUps = 3;
    private const int WarmUpWakes = 50;

    /// <summary>
    /// With one processor the runtime compiles hot code ten times later (TC_DelaySingleProcMultiplier), and each method twice: two seconds would measure code
    /// that is not yet compiled for speed.
    /// </summary>
    private static readonly TimeSpan s_warmUp = TimeSpan.FromSeconds(Environment.ProcessorCount == 1 ? 12 : 2);

    private static readonly Dictionary<string, Func<DispatchCase>> s_cases = new(StringComparer.Ordinal)
    {
        ["external"] = static () => new ExternalCase(1),
        ["external-4-producers"] = static () => new ExternalCase(4),
        ["fork-join"] = static () => new ForkJoinCase(),
        ["fork-join-tasks"] = static () => new ForkJoinTasksCase(),
        ["task"] = static () => new StartNewCase(),
        ["yield"] = static () => new YieldCase(1, throughScheduler: false),
        ["yield-8"] = static () => new YieldCase(8, throughScheduler: false),
        ["yield-scheduler"] = static () => new YieldCase(1, throughScheduler: true),
        ["yield-scheduler-8"] = static () => new YieldCase(8, throughScheduler: true),
        ["chain"] = static () => new ChainCase(1),
        ["chain-8"] = static () => new ChainCase(8),
        ["lock"] = static () => new LockCase(64),
        ["latch"] = static () => new LatchCase(),
        ["wait-all"] = static () => new WaitAllCase(),
        ["blocked-10"] = static () => new BlockedCase(10),
        ["blocked-1000"] = static () => new BlockedCase(1_000),
        ["classes-10"] = static () => new ClassesCase(10),
        ["classes-10000"] = static () => new ClassesCase(10_000),
    };

    /// <inheritdoc/>
    public override string Name => "dispatch";

    /// <inheritdoc/>
    public override string Description => "time and memory per item, and idle-to-running latency";

    /// <inheritdoc/>
    public override IReadOnlyList<ScenarioCase> Cases { get; } =
    [
        Case("external", "one thread outside queues 2^20 work items"),
        Case("external-4-producers", "four threads outside queue 2^20 work items"),
        Case("fork-join", "a tree of 2^20 work items queued locally"),
        Case("fork-join-tasks", "the same tree made of Tasks"),
        Case("task", "StartNew 2^20 times and WaitAll, from outside"),
        Case("yield", "one chain of 2^20 Task.Yield, through the pool's context"),
        Case("yield-8", "eight chains of Task.Yield, through the pool's context"),
        Case("yield-scheduler", "one chain of Task.Yield, started through the TaskScheduler"),
        Case("yield-scheduler-8", "eight chains of Task.Yield, started through the TaskScheduler"),
        Case("chain", "one work item that queues itself 2^20 times"),
        Case("chain-8", "eight work items that queue themselves"),
        Case("lock", "64 async functions pass one SemaphoreSlim to each other, with some microseconds of work inside"),
        Case("latch", "one item that starts 16 tasks and waits for them on a CountdownEvent, again and again"),
        Case("wait-all", "items from outside, each of which starts 8 tasks and waits for all of them"),
        Case("blocked-10", "items from outside, at most 100 waiting, beside 10 blocked threads and a chain of awaits"),
        Case("blocked-1000", "the same beside 1,000 blocked threads"),
        Case("classes-10", "round trips of one item through 10 classes in turn"),
        Case("classes-10000", "the same through 10,000 classes"),
        Case(Wake, "queue-to-start latency of a lone item after 5 ms of idleness"),
        Case(WakeSoon, "the same after 0.3 ms, when a spinning worker has not parked yet"),
    ];

    /// <inheritdoc/>
    public override IReadOnlyList<MetricInfo> Metrics { get; } =
    [
        new("ns-per-item", "ns", Better.Lower),
        new("bytes-per-item", "B", Better.Lower),
        new("p50-us", "us", Better.Lower),
        new("p99-us", "us", Better.Lower),
        new("cpu-us-per-wake", "us", Better.Lower),
        new("wakes-per-1000", "wakes", Better.Lower),
        new("useless-wakes-percent", "%", Better.Lower),
    ];

    /// <inheritdoc/>
    public override string? PoolNote
        => "cpu-us-per-wake is the CPU time of the whole process; in wake-0.3ms it includes the 0.3 ms of computing between items. "
            + "wakes-per-1000: wakes per 1,000 items. useless-wakes-percent: share of wakes whose worker found no work. The runtime's pool reports neither.";

    /// <inheritdoc/>
    public override void RunChild(ChildContext child)
    {
        if (child.Case is Wake or WakeSoon)
        {
            MeasureWake(child);
        }
        else
        {
            MeasureItems(child, s_cases[child.Case]());
        }
    }

    private static void MeasureWake(ChildContext child)
    {
        WakeProbe probe = new();
        TimeSpan idle = TimeSpan.FromMilliseconds(child.Case == Wake ? 5 : 0.3);

        // Otherwise the CPU of a wake is mostly that of what a process compiles in its first seconds.
        WarmUp(() => probe.Run(child.Pool, WarmUpWakes, idle));
        probe.Latency.Clear();
        WakeCount before = WakeCount.Of(child.Pool);
        TimeSpan cpu = Environment.CpuUsage.TotalTime;
        int items = child.Quick ? 300 : 800;
        probe.Run(child.Pool, items, idle);
        child.Report("cpu-us-per-wake", (Environment.CpuUsage.TotalTime - cpu).TotalMicroseconds / items);
        before.Report(child, items);
        child.Report("p50-us", probe.Latency.Milliseconds(0.5) * 1_000);
        child.Report("p99-us", probe.Latency.Milliseconds(0.99) * 1_000);
    }

    private static void MeasureItems(ChildContext child, DispatchCase dispatch)
    {
        int items = 1 << (child.Quick ? 18 : 20);
        int repetitions = child.Quick ? 5 : 9;
        WarmUp(() => dispatch.Run(child.Pool, items));
        WakeCount before = WakeCount.Of(child.Pool);
        long all = 0;
        double[] nanoseconds = new double[repetitions];
        double[] bytes = new double[repetitions];
        for (int i = 0; i < repetitions; i++)
        {
            long allocated = GC.GetTotalAllocatedBytes(precise: true);
            long begin = Stopwatch.GetTimestamp();
            int done = dispatch.Run(child.Pool, items);
            nanoseconds[i] = Stopwatch.GetElapsedTime(begin).TotalNanoseconds / done;
            all += done;
            bytes[i] = (double)(GC.GetTotalAllocatedBytes(precise: true) - allocated) / done;
        }

        before.Report(child, all);
        Array.Sort(nanoseconds);
        Array.Sort(bytes);
        child.Report("ns-per-item", nanoseconds[repetitions / 2]);
        child.Report("bytes-per-item", Math.Round(bytes[repetitions / 2], 1));
    }

    private static void WarmUp(Action run)
    {
        long start = Stopwatch.GetTimestamp();
        for (int i = 0; i < MinimumWarmUps || Stopwatch.GetElapsedTime(start) < s_warmUp; i++)
        {
            run();
        }
    }

    private static ScenarioCase Case(string name, string description) => new(name, description) { DefaultRounds = 5 };
}
