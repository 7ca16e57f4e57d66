using System.Diagnostics;
using AdaptivePool.Scenarios.Load;
using AdaptivePool.Scenarios.Pools;

namespace AdaptivePool.Scenarios.Scenarios.Blocking;

/// <summary>
/// Measures from just before a wait inside an item to the start of an item that it queued locally. A pool that starts the second item before the first waits
/// has nothing to wait for: it counts as zero.
/// </summary>
public sealed class HookProbe(ComparedPool pool, bool waitsForTask) : IThreadPoolWorkItem
{
    private const int WarmUp = 200;
    private const int SparesNeeded = 2;
    private static readonly TimeSpan s_limit = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan s_idle = TimeSpan.FromMilliseconds(2);
    private readonly AutoResetEvent _nextRan = new(initialState: false);
    private readonly AutoResetEvent _ended = new(initialState: false);
    private TaskCompletionSource _nextDone = new();
    private long _queuedAt;
    private long _waitAt;

    /// <summary>From the wait to the start of the other.</summary>
    public LatencyHistogram Latency { get; } = new();

    /// <summary>From just before the other is queued to its start: what a pool does when it is queued counts, too.</summary>
    public LatencyHistogram SinceQueued { get; } = new();

    /// <summary>Measures, with a parked spare.</summary>
    /// <param name="count">Number of measurements.</param>
    /// <param name="between">Called between them, so that both meet the same machine.</param>
    /// <param name="onWarm">Called when the uncounted ones are over.</param>
    public void Run(int count, Action between, Action onWarm)
    {
        for (int i = 0; i < WarmUp + count; i++)
        {
            if (i == WarmUp)
            {
                Latency.Clear();
                SinceQueued.Clear();
                onWarm();
            }

            between();
            Thread.Sleep(s_idle);
            if (i >= WarmUp)
            {
                WaitForSpares();
            }

            if (waitsForTask)
            {
                _nextDone = new TaskCompletionSource();
            }

            pool.Queue(this, preferLocal: false);
            if (!_ended.WaitOne(s_limit))
            {
                throw new TimeoutException($"An item did not end within {s_limit.TotalSeconds:0} s.");
            }
        }
    }

    /// <inheritdoc/>
    public void Execute()
    {
        Volatile.Write(ref _waitAt, 0);
        Volatile.Write(ref _queuedAt, Stopwatch.GetTimestamp());
        pool.Queue(new Next(this), preferLocal: true);
        Volatile.Write(ref _waitAt, Stopwatch.GetTimestamp());
        if (waitsForTask)
        {
            _nextDone.Task.Wait();
        }
        else
        {
            _nextRan.WaitOne();
        }

        _ended.Set();
    }

    /// <summary>The runtime's pool does not tell who is parked; for it the idle time must do.</summary>
    private void WaitForSpares()
    {
        long start = Stopwatch.GetTimestamp();
        while (pool is AdaptiveComparedPool adaptive && adaptive.Pool.GetSnapshot().Idle < SparesNeeded)
        {
            if (Stopwatch.GetElapsedTime(start) > s_limit)
            {
                throw new TimeoutException($"There were no {SparesNeeded} parked workers within {s_limit.TotalSeconds:0} s.");
            }

            Thread.Sleep(s_idle);
        }
    }

    private sealed class Next(HookProbe probe) : IThreadPoolWorkItem
    {
        public void Execute()
        {
            long waitAt = Volatile.Read(ref probe._waitAt);
            long now = Stopwatch.GetTimestamp();
            probe.Latency.Add(waitAt == 0 ? 0 : now - waitAt);
            probe.SinceQueued.Add(now - Volatile.Read(ref probe._queuedAt));
            probe._nextDone.TrySetResult();
            probe._nextRan.Set();
        }
    }
}
