using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace AdaptivePool.Scenarios.Scenarios.Blocking;

/// <summary>What code that never blocks pays: an uncontended lock, and waiting for a task that has already completed.</summary>
public sealed class NoBlockCost(int repetitions)
{
    private const int Operations = 400_000;
    private static readonly TimeSpan s_warmUp = TimeSpan.FromMilliseconds(600);
    private readonly object _lock = new();
    private readonly Task<int> _completed = Task.FromResult(1);
    private long _sum;

    /// <summary>Time of a lock taken and released, in nanoseconds.</summary>
    public double LockNanoseconds { get; private set; }

    /// <summary>Time of Wait and Result on a completed task, in nanoseconds.</summary>
    public double CompletedTaskNanoseconds { get; private set; }

    /// <summary>Measures on the calling thread.</summary>
    public void Measure()
    {
        long start = Stopwatch.GetTimestamp();
        while (Stopwatch.GetElapsedTime(start) < s_warmUp)
        {
            Lock();
            WaitCompleted();
        }

        LockNanoseconds = Median(Lock);
        CompletedTaskNanoseconds = Median(WaitCompleted);
    }

    private double Median(Action run)
    {
        double[] times = new double[repetitions];
        for (int i = 0; i < repetitions; i++)
        {
            long start = Stopwatch.GetTimestamp();
            run();
            times[i] = Stopwatch.GetElapsedTime(start).TotalNanoseconds / Operations;
        }

        Array.Sort(times);
        return times[repetitions / 2];
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Lock()
    {
        for (int i = 0; i < Operations; i++)
        {
            lock (_lock)
            {
                _sum++;
            }
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void WaitCompleted()
    {
        for (int i = 0; i < Operations; i++)
        {
            _completed.Wait();
            _sum += _completed.Result;
        }
    }
}
