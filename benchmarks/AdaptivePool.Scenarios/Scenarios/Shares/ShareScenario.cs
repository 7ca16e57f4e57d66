using System.Diagnostics;
using AdaptivePool.Scenarios.Harness;
using AdaptivePool.Scenarios.Load;
using AdaptivePool.Scenarios.Pools;

namespace AdaptivePool.Scenarios.Scenarios.Shares;

/// <summary>Who gets how much of a CPU that is full: classes by weight, background work, tenants, priorities.</summary>
public sealed class ShareScenario : Scenario
{
    private const string Short = "weights-short";
    private const string Long = "weights-long";
    private const string Background = "elastic";
    private const string BackgroundShort = "elastic-short";
    private const string Floor = "elastic-floor";
    private const string Tenants = "tenants";
    private const string Priorities = "priorities";
    private const string Tickets = "tickets";
    private const int Waiting = 64;
    private const double Wanted = 0.75;
    private const double WindowTolerance = 0.02;

    /// <inheritdoc/>
    public override string Name => "shares";

    /// <inheritdoc/>
    public override string Description => "how a fully used CPU is divided: classes with weights, background work, tenants, priorities";

    /// <inheritdoc/>
    public override IReadOnlyList<ScenarioCase> Cases { get; } =
    [
        new(Short, "two classes of items of 0.3 ms, weights 3 and 1"),
        new(Long, "the same with items of 10 ms"),
        new(Background, "items of 0.5 ms at 30 % of the CPU, in turns alone and beside background items of 10 ms"),
        new(BackgroundShort, "the same beside background items of 0.2 ms") { IsQuick = false },
        new(Floor, "the same beside as many processes as there are cores that compute under SCHED_IDLE: the effect of the operating system alone; Linux")
        {
            IsQuick = false,
            DefaultPools = ["runtime"],
        },
        new(Tenants, "ten tenants of 7 % of the CPU each, in turns without and with one that sends a hundred times as much"),
        new(Priorities, "2,000 items of 0.2 ms always wait, one in ten of high priority, the others of low"),
        new(Tickets, "32 clients that run transactions of 20 items behind a gate of 8, beside 32 that run single ones; all, 4, 1 or no items run first")
        {
            DefaultPools = ["adaptive"],
        },
    ];

    /// <inheritdoc/>
    public override IReadOnlyList<MetricInfo> Metrics { get; } =
    [
        new("share-percent", "% of both classes' CPU", Better.Higher),
        new("windows-within-2-percent", "% of windows of 100 ms", Better.Higher),
        new("used-cores", "cores", Better.Higher),
        new("foreground-p99-alone-ms", "ms", Better.Lower),
        new("foreground-p99-ms", "ms", Better.Lower),
        new("foreground-p99-ratio", "x", Better.Lower),
        new("elastic-percent-of-left-over", "%", Better.Higher),
        new("high-wait-p99-ms", "ms", Better.Lower),
        new("low-wait-p99-ms", "ms", Better.Lower),
        new("high-of-low", "x", Better.Lower),
        new("transaction-p50-all-ms", "ms", Better.Lower),
        new("transaction-p50-4-ms", "ms", Better.Lower),
        new("transaction-p50-1-ms", "ms", Better.Lower),
        new("transaction-p50-none-ms", "ms", Better.Lower),
        new("other-p99-all-ms", "ms", Better.Lower),
        new("other-p99-4-ms", "ms", Better.Lower),
        new("other-p99-1-ms", "ms", Better.Lower),
        new("other-p99-none-ms", "ms", Better.Lower),
    ];

    /// <inheritdoc/>
    public override void RunChild(ChildContext child)
    {
        switch (child.Case)
        {
            case Background:
                MeasureBackground(child, burner => new Flood(BackgroundOf(child), burner, 10, Waiting));
                break;
            case BackgroundShort:
                MeasureBackground(child, burner => new Flood(BackgroundOf(child), burner, 0.2, Waiting));
                break;
            case Floor:
                MeasureBackground(child, static _ => new IdleProcesses(Environment.ProcessorCount));
                break;
            case Tenants:
                MeasureTenants(child);
                break;
            case Priorities:
                PriorityLoad.Measure(child);
                break;
            case Tickets:
                TicketLoad.Measure(child);
                break;
            default:
                MeasureWeights(child, child.Case == Short ? 0.3 : 10, child.Case == Short ? child.Seconds(10, 10) : child.Seconds(10, 4));
                break;
        }
    }

    private static void MeasureWeights(ChildContext child, double milliseconds, TimeSpan measured)
    {
        CpuBurner burner = child.CreateBurner();
        if (child.Pool is AdaptiveComparedPool { Pool: { } pool })
        {
            pool.GetClass("heavy").Weight = 3;
            pool.GetClass("light").Weight = 1;
        }

        using Flood heavy = new(child.Pool.GetClass("heavy").Queue, burner, milliseconds, Waiting);
        using Flood light = new(child.Pool.GetClass("light").Queue, burner, milliseconds, Waiting);
        Thread.Sleep(child.Seconds(2, 2));
        (long heavyFirst, long lightFirst) = (heavy.Used, light.Used);
        (long heavyBefore, long lightBefore) = (heavyFirst, lightFirst);
        int windows = 0;
        int good = 0;
        long start = Stopwatch.GetTimestamp();
        while (Stopwatch.GetElapsedTime(start) < measured)
        {
            Thread.Sleep(100);
            (long heavyNow, long lightNow) = (heavy.Used, light.Used);
            good += Math.Abs(Share(heavyNow - heavyBefore, lightNow - lightBefore) - Wanted) <= WindowTolerance ? 1 : 0;
            windows++;
            (heavyBefore, lightBefore) = (heavyNow, lightNow);
        }

        double seconds = Stopwatch.GetElapsedTime(start).TotalSeconds;
        child.Report("share-percent", 100 * Share(heavyBefore - heavyFirst, lightBefore - lightFirst));
        child.Report("windows-within-2-percent", 100.0 * good / windows);
        child.Report("used-cores", (heavyBefore - heavyFirst + lightBefore - lightFirst) / 1e9 / seconds);
    }

    private static double Share(double heavy, double light) => heavy / Math.Max(1, heavy + light);

    private static Action<IThreadPoolWorkItem> BackgroundOf(ChildContext child) => child.Pool is AdaptiveComparedPool { Pool: { } pool }
        ? item => pool.Elastic.GetClass("background").UnsafeQueueRootWork(item)
        : child.Pool.GetClass("background").Queue;

    private static void MeasureBackground(ChildContext child, Func<CpuBurner, IBackground> begin)
    {
        const double ItemMilliseconds = 0.5;
        const double Load = 0.3;
        CpuBurner burner = child.CreateBurner();
        Action<IThreadPoolWorkItem> queue = child.Pool.GetClass("foreground").Queue;
        var foreground = new OpenLoop(burner, ItemMilliseconds);
        double perSecond = Load * Environment.ProcessorCount * 1_000 / ItemMilliseconds;
        List<double> alone = [], beside = [], taken = [];
        for (int turn = 0; turn < 4; turn++)
        {
            // A B B A: what the machine does meanwhile meets both.
            bool isBeside = turn is 1 or 2;
            using (IBackground? background = isBeside ? begin(burner) : null)
            {
                long used = 0;
                TimeSpan process = default;
                long start = 0;
                foreground.Run(
                    (_, item) => queue(item),
                    perSecond,
                    TimeSpan.FromSeconds(1),
                    child.Seconds(6, 3),
                    seed: 11 + turn,
                    static _ => true,
                    () => (used, process, start) = (background?.Used ?? 0, Environment.CpuUsage.TotalTime, Stopwatch.GetTimestamp()));
                double seconds = Stopwatch.GetElapsedTime(start).TotalSeconds;
                (isBeside ? beside : alone).Add(foreground.Tail);
                if (background is not null)
                {
                    double own = (background.Used - used) / 1e9 / seconds;
                    double all = (Environment.CpuUsage.TotalTime - process).TotalSeconds / seconds;
                    taken.Add(100 * own / (Environment.ProcessorCount - (background.IsOfThisProcess ? all - own : all)));
                }
            }

            // Also what waits in a queue that never got its turn.
            Thread.Sleep(500);
        }

        Report(child, alone.Average(), beside.Average());
        child.Report("elastic-percent-of-left-over", taken.Average());
    }

    private static void MeasureTenants(ChildContext child)
    {
        const int Count = 10;
        const int Loud = 0;
        const int Times = 100;
        const double ItemMilliseconds = 0.2;
        const double Load = 0.7;
        CpuBurner burner = child.CreateBurner();
        string[] names = [.. Enumerable.Range(0, Count).Select(static i => $"tenant {i}")];
        Action<IThreadPoolWorkItem> whole = child.Pool.GetClass("shop").Queue;
        WorkClass? shop = (child.Pool as AdaptiveComparedPool)?.Pool.GetClass("shop");
        double perSecond = Load * Environment.ProcessorCount * 1_000 / ItemMilliseconds;
        List<double> usual = [], loud = [];
        (bool usualIsOver, bool loudIsOver) = (false, false);
        var others = new OpenLoop(burner, ItemMilliseconds);
        for (int turn = 0; turn < 4; turn++)
        {
            bool isLoud = turn is 1 or 2;
            var drowning = new OpenLoop(burner, ItemMilliseconds);
            Thread? thread = null;
            TimeSpan warmUp = TimeSpan.FromSeconds(1);
            TimeSpan measured = child.Seconds(4, 2);
            if (isLoud)
            {
                thread = new Thread(() => drowning.Run(
                    (_, item) => Queue(Loud, item), (Times - 1) * perSecond / Count, warmUp, measured, seed: 3, static _ => false, static () => { }));
                thread.Start();
            }

            others.Run(
                (number, item) => Queue(TenantOf(number), item),
                perSecond,
                warmUp,
                measured,
                seed: 21 + turn,
                static number => TenantOf(number) != Loud,
                static () => { });

            // Where none of them ended at all it took longer than it was measured.
            bool isOver = double.IsNaN(others.Tail);
            usualIsOver |= isOver && !isLoud;
            loudIsOver |= isOver && isLoud;
            (isLoud ? loud : usual).Add(isOver ? measured.TotalMilliseconds : others.Tail);
            drowning.End();
            thread?.Join();
            Thread.Sleep(500);
        }

        Report(child, usual.Average(), loud.Average(), usualIsOver, loudIsOver);

        // Knuth's multiplicative hash: tenants come in no order.
        static int TenantOf(int number) => (int)((unchecked((uint)number * 2_654_435_769) >> 16) % Count);

        void Queue(int tenant, IThreadPoolWorkItem item)
        {
            if (shop is null)
            {
                whole(item);
            }
            else
            {
                shop.UnsafeQueueUserWorkItemFor(names[tenant], item);
            }
        }
    }

    /// <param name="child">Where it is told.</param>
    /// <param name="alone">The 99th percentile without the others, in milliseconds.</param>
    /// <param name="beside">The same beside them.</param>
    /// <param name="aloneIsOver">Whether the first is at least so much.</param>
    /// <param name="besideIsOver">Whether the second is.</param>
    private static void Report(ChildContext child, double alone, double beside, bool aloneIsOver = false, bool besideIsOver = false)
    {
        child.Report("foreground-p99-alone-ms", alone, aloneIsOver);
        child.Report("foreground-p99-ms", beside, besideIsOver);
        if (!aloneIsOver)
        {
            // Else it could be more or less.
            child.Report("foreground-p99-ratio", beside / alone, besideIsOver);
        }
    }
}
