using System.Diagnostics;
using AdaptivePool.Scenarios.Harness;

namespace AdaptivePool.Scenarios.Scenarios.Gate;

/// <summary>What it costs to pass a transaction gate, and whether it ever lets in more than its limit.</summary>
public sealed class GateScenario : Scenario
{
    private const string Resize = "resize-under-load";
    private const string Waiting = "waiting";
    private const string Lease = "lease";
    private const string LeaseAlone = "lease-no-flow";
    private const string WaitingAlone = "waiting-no-flow";
    private const string Waiting100 = "waiting-100us";
    private const string Waiting1000 = "waiting-1ms";
    private const int MinimumWarmUps = 3;
    private static readonly TimeSpan s_warmUp = TimeSpan.FromMilliseconds(300);

    /// <inheritdoc/>
    public override string Name => "gate";

    /// <inheritdoc/>
    public override string Description => "time and memory per pass of a transaction gate, and its limit under load";

    /// <inheritdoc/>
    public override IReadOnlyList<ScenarioCase> Cases { get; } =
    [
        new("pass", "one thread passes a gate with room, the cheapest way") { DefaultRounds = 5 },
        new(Lease, "the same with a lease that is listed and flows with the async context") { DefaultRounds = 5 },
        new(LeaseAlone, "the same without the flow, which no other limiter has") { DefaultRounds = 5, IsQuick = false },
        new("contended", "four threads pass a gate with room for all") { DefaultRounds = 5 },
        new(Waiting, "64 asynchronous flows share 4 permits, so that all but four wait; empty transactions") { DefaultRounds = 5 },
        new(WaitingAlone, "the same without the flow") { DefaultRounds = 5, IsQuick = false },
        new(Waiting100, "the same with transactions that compute for 100 us") { DefaultRounds = 3 },
        new(Waiting1000, "the same with transactions that wait asynchronously for 1 ms, or as long as the timer takes for that") { DefaultRounds = 3 },
        new(Resize, "four threads pass a gate whose limit changes between 1 and 6 all the time") { DefaultPools = ["adaptive"] },
    ];

    /// <inheritdoc/>
    public override IReadOnlyList<MetricInfo> Metrics { get; } =
    [
        new("ns-per-pass", "ns", Better.Lower),
        new("bytes-per-pass", "B", Better.Lower),
        new("over-limit-count", "passes", Better.Lower),
        new("slots-busy-while-waiting-percent", "%", Better.Higher),
        new("passes", "passes"),
        new("limit-changes", "changes"),
    ];

    /// <inheritdoc/>
    public override string? PoolNote
        => "'adaptive' is the TransactionGate, 'runtime' is System.Threading.RateLimiting's ConcurrencyLimiter, whose limit cannot be changed.";

    /// <inheritdoc/>
    public override void CheckPool(string pool)
    {
        if (pool is not ("runtime" or "adaptive"))
        {
            throw new UsageException($"The scenario 'gate' compares 'adaptive' (our gate) with 'runtime' (ConcurrencyLimiter); it has no '{pool}'.");
        }
    }

    /// <inheritdoc/>
    public override void RunChild(ChildContext child)
    {
        bool isOurs = child.PoolName == "adaptive";
        if (child.Case == Resize)
        {
            MeasureResize(child, isOurs);
            return;
        }

        GatePasses passes = child.Case switch
        {
            "pass" => isOurs ? new OurPasses(threads: 1) : new PeerPasses(threads: 1),
            Lease or LeaseAlone => isOurs ? new OurLeases(flows: child.Case == Lease) : new PeerPasses(threads: 1),
            Waiting or WaitingAlone => Crowd(isOurs, transact: null, flows: child.Case == Waiting),
            Waiting100 => Crowd(isOurs, WaitingPasses.Compute),
            Waiting1000 => Crowd(isOurs, WaitingPasses.Wait),
            _ => isOurs ? new OurPasses(threads: 4) : new PeerPasses(threads: 4),
        };
        MeasurePasses(child, passes, child.Case switch { Waiting or WaitingAlone => 18, Waiting100 => 14, Waiting1000 => 12, _ => 22 });
        if (passes is WaitingPasses { Busy: { } busy })
        {
            child.Report("slots-busy-while-waiting-percent", 100 * busy);
        }
    }

    private static WaitingPasses Crowd(bool isOurs, Func<Task>? transact, bool flows = true) =>
        new(isOurs ? OurLeases.CreateGate(WaitingPasses.Permits, flows) : PeerPasses.CreateLimiter(WaitingPasses.Permits), transact);

    private static void MeasurePasses(ChildContext child, GatePasses passes, int log2)
    {
        int count = 1 << (child.Quick ? log2 - 2 : log2);
        int repetitions = child.Quick ? 5 : 9;
        long start = Stopwatch.GetTimestamp();
        for (int i = 0; i < MinimumWarmUps || Stopwatch.GetElapsedTime(start) < s_warmUp; i++)
        {
            passes.Run(count);
        }

        double[] nanoseconds = new double[repetitions];
        double[] bytes = new double[repetitions];
        for (int i = 0; i < repetitions; i++)
        {
            long allocated = GC.GetTotalAllocatedBytes(precise: true);
            long begin = Stopwatch.GetTimestamp();
            passes.Run(count);
            nanoseconds[i] = Stopwatch.GetElapsedTime(begin).TotalNanoseconds / count;
            bytes[i] = (double)(GC.GetTotalAllocatedBytes(precise: true) - allocated) / count;
        }

        Array.Sort(nanoseconds);
        Array.Sort(bytes);
        child.Report("ns-per-pass", nanoseconds[repetitions / 2]);
        child.Report("bytes-per-pass", Math.Round(bytes[repetitions / 2], 1));
    }

    private static void MeasureResize(ChildContext child, bool isOurs)
    {
        if (!isOurs)
        {
            throw new NotSupportedException("The limit of a ConcurrencyLimiter cannot be changed; run this case with '--pools adaptive'.");
        }

        var run = new ResizeRun(child.Quick ? 10_000_000 : 100_000_000);
        run.Run();
        child.Report("over-limit-count", run.OverLimit);
        child.Report("slots-busy-while-waiting-percent", 100 * run.BusyWhileWaiting);
        child.Report("passes", run.Passes);
        child.Report("limit-changes", run.Changes);
    }
}
