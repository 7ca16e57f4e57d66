using System.Diagnostics;
using AdaptivePool.Scenarios.Load;
using AdaptivePool.Scenarios.Pools;

namespace AdaptivePool.Scenarios.Scenarios.Dispatch;

/// <summary>Measures the time from queueing a lone item to its start, after the pool was idle for a while.</summary>
public sealed class WakeProbe : IThreadPoolWorkItem
{
    private static readonly TimeSpan s_limit = TimeSpan.FromSeconds(10);
    private readonly LatencyHistogram _latency = new();
    private long _queuedAt;
    private int _started;

    /// <summary>The latencies.</summary>
    public LatencyHistogram Latency => _latency;

    /// <summary>Queues items one at a time.</summary>
    /// <param name="pool">The pool.</param>
    /// <param name="count">Number of items.</param>
    /// <param name="idle">Idle time before each: slept from a millisecond on, burnt below.</param>
    public void Run(ComparedPool pool, int count, TimeSpan idle)
    {
        for (int i = 0; i < count; i++)
        {
            PassTime(idle);
            Volatile.Write(ref _started, 0);
            _queuedAt = Stopwatch.GetTimestamp();
            pool.Queue(this, preferLocal: false);
            WaitStarted();
        }
    }

    /// <inheritdoc/>
    public void Execute()
    {
        _latency.Add(Stopwatch.GetTimestamp() - _queuedAt);
        Volatile.Write(ref _started, 1);
    }

    /// <summary>Yields while waiting: a producer that spins without yielding measures the kernel's time slices.</summary>
    private void WaitStarted()
    {
        long start = Stopwatch.GetTimestamp();
        while (Volatile.Read(ref _started) == 0)
        {
            if (Stopwatch.GetElapsedTime(start) > s_limit)
            {
                throw new TimeoutException($"A lone item did not start within {s_limit.TotalSeconds:0} s.");
            }

            Thread.Yield();
        }
    }

    private static void PassTime(TimeSpan time)
    {
        if (time >= TimeSpan.FromMilliseconds(1))
        {
            Thread.Sleep(time);
            return;
        }

        long start = Stopwatch.GetTimestamp();
        while (Stopwatch.GetElapsedTime(start) < time)
        {
            Thread.SpinWait(10);
        }
    }
}
