using AdaptivePool.Scenarios.Harness;
using AdaptivePool.Scenarios.Load;

namespace AdaptivePool.Scenarios.Scenarios.Blocking;

/// <summary>What noticing blocked workers brings and costs.</summary>
public sealed class BlockingScenario : Scenario
{
    private const string Hook = "hook";
    private const string HookTask = "hook-task";
    private const string Cost = "wait-cost";
    private const string NoBlock = "no-block";
    private const string Overshoot = "overshoot";
    private const string OvershootInFlight = "overshoot-in-flight";
    private const string Monitor = "monitor-";
    private const string OneCore = "0";

    private static readonly Dictionary<string, MonitorLoad> s_loads = new(StringComparer.Ordinal)
    {
        [Monitor + "blocked"] = MonitorLoad.Blocked,
        [Monitor + "computing"] = MonitorLoad.Computing,
        [Monitor + "idle"] = MonitorLoad.Idle,
    };

    /// <inheritdoc/>
    public override string Name => "blocking";

    /// <inheritdoc/>
    public override string Description
        => "how soon the next item runs when a worker blocks, the cost of a wait, what happens when blocked workers return, and the cost of watching (Linux)";

    /// <inheritdoc/>
    public override IReadOnlyList<ScenarioCase> Cases { get; } =
    [
        new(Hook, "an item queues another locally and waits for an event: from the wait to the start of the other; the floor is a bare futex wake in the same "
            + "process"),
        new(HookTask, "the same with Task.Wait, which spins before it blocks"),
        new(Cost, "two items pass a semaphore to each other, compared with two plain threads, on one core; and waits that need not block") { Cores = OneCore },
        new(NoBlock, "an uncontended lock and a completed Task inside an item") { DefaultRounds = 5 },
        new(Overshoot, "64 blocked items return at once while 2,000 items are queued"),
        new(OvershootInFlight, "the same with items queued by an item"),
        new(Monitor + "blocked", "64 workers wait, 16 clients send items that sleep 5 ms"),
        new(Monitor + "computing", "64 workers that waited compute, 16 clients send short items"),
        new(Monitor + "idle", "no work, after 64 items that slept 100 ms, twice"),
    ];

    /// <inheritdoc/>
    public override IReadOnlyList<MetricInfo> Metrics { get; } =
    [
        new("next-item-p50-us", "us", Better.Lower),
        new("next-item-p99-us", "us", Better.Lower),
        new("since-queued-p50-us", "us", Better.Lower),
        new("since-queued-p99-us", "us", Better.Lower),
        new("floor-p50-us", "us"),
        new("floor-p99-us", "us"),
        new("floor-after-p50-us", "us"),
        new("floor-after-p99-us", "us"),
        .. WaitCost.Metrics,
        new("lock-ns", "ns", Better.Lower),
        new("completed-task-ns", "ns", Better.Lower),
        .. OvershootRun.Metrics,
        .. MonitorShare.Metrics,
    ];

    /// <inheritdoc/>
    public override string? PoolNote =>
        "floor-...: time until a parked thread runs after a bare futex wake whose caller then blocks, from just before the wake. floor-after-...: from "
            + "just after it, for a pool that wakes when an item is queued and not when the queueing item waits. own-...: the pool's threads that are not "
            + "workers (for runtime: its gate thread).";

    /// <inheritdoc/>
    public override Task<ScenarioEnvironment> PrepareAsync(IReadOnlyList<ScenarioCase> cases, Action<string> say, CancellationToken cancellationToken) =>
        FutexGate.IsSupported
            ? base.PrepareAsync(cases, say, cancellationToken)
            : throw new ScenarioUnavailableException("The scenario 'blocking' uses futexes and /proc and runs on Linux only, on x64 and arm64.");

    /// <inheritdoc/>
    public override void RunChild(ChildContext child)
    {
        switch (child.Case)
        {
            case Hook:
            case HookTask:
                MeasureHook(child, child.Case == HookTask);
                break;
            case Cost:
                new WaitCost(child).Measure();
                break;
            case NoBlock:
                MeasureNoBlock(child);
                break;
            case Overshoot:
            case OvershootInFlight:
                new OvershootRun(child, inFlight: child.Case == OvershootInFlight).Measure();
                break;
            default:
                new MonitorShare(child).Measure(s_loads[child.Case]);
                break;
        }
    }

    private static void MeasureHook(ChildContext child, bool waitsForTask)
    {
        HookProbe probe = new(child.Pool, waitsForTask);
        WakeFloor floor = new(fromAfter: false);
        WakeFloor after = new(fromAfter: true);
        probe.Run(
            child.Quick ? 500 : 2_000,
            () =>
            {
                floor.Step();
                after.Step();
            },
            () =>
            {
                floor.Latency.Clear();
                after.Latency.Clear();
            });
        Report("next-item", probe.Latency);
        Report("since-queued", probe.SinceQueued);
        Report("floor", floor.Latency);
        Report("floor-after", after.Latency);

        void Report(string name, LatencyHistogram latency)
        {
            child.Report(name + "-p50-us", latency.Milliseconds(0.5) * 1_000);
            child.Report(name + "-p99-us", latency.Milliseconds(0.99) * 1_000);
        }
    }

    private static void MeasureNoBlock(ChildContext child)
    {
        using ManualResetEventSlim done = new();
        NoBlockCost cost = new(child.Quick ? 9 : 25);
        child.Pool.Run(() =>
        {
            cost.Measure();
            done.Set();
        });
        if (!done.Wait(TimeSpan.FromMinutes(1)))
        {
            throw new TimeoutException("The item did not end within a minute.");
        }

        child.Report("lock-ns", cost.LockNanoseconds);
        child.Report("completed-task-ns", cost.CompletedTaskNanoseconds);
    }
}
