using System.Diagnostics;
using AdaptivePool.Scenarios.Harness;

namespace AdaptivePool.Scenarios.Scenarios.Idle;

/// <summary>What a pool costs while it has nothing to do.</summary>
public sealed class IdleScenario : Scenario
{
    private const int BurstItems = 64;

    /// <summary>Two readings of the five threads that any process has, each: some hundred calls while the runtime counts.</summary>
    private const int ReadingsToCompile = 20;

    /// <inheritdoc/>
    public override string Name => "idle";

    /// <inheritdoc/>
    public override string Description => "wake-ups, CPU and threads of a process whose pool has no work (Linux)";

    /// <inheritdoc/>
    public override IReadOnlyList<ScenarioCase> Cases { get; } =
    [
        new("empty", "a pool that ran one item"),
        new("after-burst", "a pool that ran 64 items that slept 100 ms, three times"),
    ];

    /// <inheritdoc/>
    public override IReadOnlyList<MetricInfo> Metrics { get; } =
    [
        new("wakeups-per-s", "1/s", Better.Lower),
        new("cpu-percent", "% of a core", Better.Lower),
        new("threads", "threads", Better.Lower),
    ];

    /// <inheritdoc/>
    public override string? PoolNote =>
        "wakeups-per-s counts voluntary context switches of all threads of the process except the measuring one, including the runtime's own threads.";

    /// <inheritdoc/>
    public override Task<ScenarioEnvironment> PrepareAsync(IReadOnlyList<ScenarioCase> cases, Action<string> say, CancellationToken cancellationToken) =>
        Directory.Exists("/proc/self/task")
            ? base.PrepareAsync(cases, say, cancellationToken)
            : throw new ScenarioUnavailableException("The scenario 'idle' reads /proc and runs on Linux only.");

    /// <inheritdoc/>
    public override void RunChild(ChildContext child)
    {
        int bursts = child.Case == "empty" ? 1 : 3;
        for (int i = 0; i < bursts; i++)
        {
            RunBurst(child, child.Case == "empty" ? 1 : BurstItems);
        }

        // Just-in-time compilation in the background and spinning workers settle first. What is read for each thread is compiled once it was called some thirty
        // times: of many threads the reading that begins the time measured would be the one, of few none.
        ReadUntilCompiled();
        Thread.Sleep(child.Seconds(6, 4));
        IReadOnlyDictionary<string, long> switches = ThreadSwitches.Read();
        TimeSpan cpu = Environment.CpuUsage.TotalTime;
        long start = Stopwatch.GetTimestamp();
        Thread.Sleep(child.Seconds(15, 10));
        double seconds = Stopwatch.GetElapsedTime(start).TotalSeconds;
        TimeSpan cpuAfter = Environment.CpuUsage.TotalTime;
        IReadOnlyDictionary<string, long> after = ThreadSwitches.Read();
        child.Report("wakeups-per-s", ThreadSwitches.Between(switches, after) / seconds);
        child.Report("cpu-percent", (cpuAfter - cpu).TotalSeconds / seconds * 100);
        child.Report("threads", child.Pool.Read().Threads);
    }

    private static void ReadUntilCompiled()
    {
        for (int i = 0; i < ReadingsToCompile; i++)
        {
            ThreadSwitches.Between(ThreadSwitches.Read(), ThreadSwitches.Read());

            // The runtime counts no calls within 100 ms after new code was called.
            Thread.Sleep(100);
        }
    }

    private static void RunBurst(ChildContext child, int items)
    {
        using CountdownEvent remaining = new(items);
        for (int i = 0; i < items; i++)
        {
            child.Pool.Run(() =>
            {
                Thread.Sleep(100);
                remaining.Signal();
            });
        }

        remaining.Wait();
    }
}
