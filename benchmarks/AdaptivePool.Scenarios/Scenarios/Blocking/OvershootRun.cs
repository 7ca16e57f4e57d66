using System.Collections.Concurrent;
using System.Diagnostics;
using AdaptivePool.Scenarios.Harness;
using AdaptivePool.Scenarios.Load;
using AdaptivePool.Scenarios.Pools;

namespace AdaptivePool.Scenarios.Scenarios.Blocking;

/// <summary>
/// Many blocked items return at once while others are queued: how long more threads work than the pool wants, how many items a returned thread still takes
/// meanwhile, and how many threads are left later.
/// </summary>
public sealed class OvershootRun
{
    private const int Burst = 64;
    private const int Queued = 2_000;
    private const double AfterMilliseconds = 1;
    private const double ItemMilliseconds = 0.5;
    private static readonly TimeSpan s_idleTimeout = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_runtimeIdleTimeout = TimeSpan.FromSeconds(20);
    private static readonly TimeSpan s_limit = TimeSpan.FromSeconds(60);

    private readonly ConcurrentDictionary<int, int> _returned = new();
    private readonly ConcurrentQueue<(double Milliseconds, PoolReading Reading)> _readings = new();
    private readonly ChildContext _child;
    private readonly ComparedPool _pool;
    private readonly CpuBurner _burner;
    private readonly bool _inFlight;
    private long _releasedAt;

    /// <summary>Prepares a run.</summary>
    /// <param name="child">The round.</param>
    /// <param name="inFlight">Whether the burst is queued by an item of the pool.</param>
    public OvershootRun(ChildContext child, bool inFlight)
    {
        _child = child;
        _burner = child.CreateBurner();
        _inFlight = inFlight;
        _pool = child.PoolName == "adaptive" ? new AdaptiveComparedPool(idleTimeout: s_idleTimeout) : child.Pool;
    }

    /// <summary>The metrics reported here.</summary>
    public static IReadOnlyList<MetricInfo> Metrics { get; } =
    [
        new("blocked-at-release", "threads"),
        new("target-at-release", "threads"),
        new("target-fell-ms", "ms", Better.Lower),
        new("most-over-target", "threads", Better.Lower),
        new("back-at-target-ms", "ms", Better.Lower),
        new("most-items-while-over", "items", Better.Lower),
        new("back-at-cores-ms", "ms", Better.Lower),
        new("all-done-ms", "ms", Better.Lower),
        new("threads-after-idle", "threads", Better.Lower),
    ];

    /// <summary>Measures and reports.</summary>
    public void Measure()
    {
        BlockedBurst burst = new(Burst, OnReturn);
        if (_inFlight)
        {
            _pool.Run(() => burst.Start(_pool)).Wait();
        }
        else
        {
            burst.Start(_pool);
        }

        burst.WaitUntilBlocked(_child.Seconds(10, 4));
        PoolReading atRelease = _pool.Read();
        using CountdownEvent remaining = new(Queued);
        for (int i = 0; i < Queued; i++)
        {
            _pool.Queue(new QueuedItem(this, remaining), preferLocal: false);
        }

        _child.Report("blocked-at-release", burst.Blocked);
        _child.Report("target-at-release", atRelease.Target);
        _releasedAt = Stopwatch.GetTimestamp();
        burst.Release();
        if (!remaining.Wait(s_limit))
        {
            throw new TimeoutException($"The queued items did not end within {s_limit.TotalSeconds:0} s.");
        }

        _child.Report("all-done-ms", Stopwatch.GetElapsedTime(_releasedAt).TotalMilliseconds);
        Report();
        ReportThreadsAfterIdle();
    }

    private void Report()
    {
        _child.Report("back-at-cores-ms", LastTime(static r => r.HoldingWork > Environment.ProcessorCount + 1));
        if (_pool is AdaptiveComparedPool)
        {
            // The runtime's pool does not tell what it wants.
            _child.Report("target-fell-ms", LastTime(static r => r.Target > Environment.ProcessorCount + 1));
            _child.Report("most-over-target", _readings.Select(static p => Math.Max(0, p.Reading.HoldingWork - p.Reading.Target)).DefaultIfEmpty(0).Max());
            _child.Report("back-at-target-ms", LastTime(static r => r.HoldingWork > r.Target));
            _child.Report("most-items-while-over", _returned.Values.DefaultIfEmpty(0).Max());
        }
    }

    private void ReportThreadsAfterIdle()
    {
        bool ours = _pool is AdaptiveComparedPool;
        if (!ours && _child.Quick)
        {
            return;
        }

        Thread.Sleep((ours ? s_idleTimeout : s_runtimeIdleTimeout) * 2.5);
        _child.Report("threads-after-idle", _pool.Read().Threads);
    }

    /// <summary>The last moment at which something was so; 0 when it never was.</summary>
    private double LastTime(Predicate<PoolReading> isSo) =>
        _readings.Where(p => isSo(p.Reading)).Select(static p => p.Milliseconds).DefaultIfEmpty(0).Max();

    /// <summary>Items read the pool when they begin: a thread beside them would get a core too late to see anything.</summary>
    private PoolReading Read()
    {
        PoolReading reading = _pool.Read();
        _readings.Enqueue((Stopwatch.GetElapsedTime(_releasedAt).TotalMilliseconds, reading));
        return reading;
    }

    private void OnReturn()
    {
        Read();
        _returned[Environment.CurrentManagedThreadId] = 0;
        _burner.Burn(AfterMilliseconds);
    }

    private void OnItem()
    {
        int thread = Environment.CurrentManagedThreadId;
        if (_releasedAt != 0)
        {
            PoolReading reading = Read();
            if (_returned.ContainsKey(thread) && reading.HoldingWork > reading.Target)
            {
                _returned[thread]++;
            }
        }

        _burner.Burn(ItemMilliseconds);
    }

    private sealed class QueuedItem(OvershootRun run, CountdownEvent remaining) : IThreadPoolWorkItem
    {
        public void Execute()
        {
            run.OnItem();
            remaining.Signal();
        }
    }
}
