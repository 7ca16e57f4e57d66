using System.Diagnostics;
using AdaptivePool.Scenarios.Pools;

namespace AdaptivePool.Scenarios.Load;

/// <summary>Samples a pool's threads from a thread of its own.</summary>
public sealed class PeakSampler
{
    private static readonly TimeSpan s_period = TimeSpan.FromMilliseconds(5);
    private static readonly TimeSpan s_longest = TimeSpan.FromMilliseconds(100);

    /// <summary>Looks take one part in so many of the time at most: a pool of many threads that tells much of each would be slower for being watched.</summary>
    private const int Share = 50;
    private readonly ComparedPool _pool;
    private int _peak;
    private int _peakHoldingWork;
    private int _peakTarget;

    /// <summary>Starts sampling every 5 ms, and more rarely where a look takes long; the thread ends with the process.</summary>
    public PeakSampler(ComparedPool pool)
    {
        _pool = pool;
        new Thread(Sample) { IsBackground = true, Name = "peak sampler" }.UnsafeStart();
    }

    /// <summary>Most threads seen.</summary>
    public int Peak
    {
        get
        {
            Take();
            return _peak;
        }
    }

    /// <summary>Most threads seen holding work since <see cref="ForgetWork"/>.</summary>
    public int PeakHoldingWork => _peakHoldingWork;

    /// <summary>Largest target seen since <see cref="ForgetWork"/>.</summary>
    public int PeakTarget => _peakTarget;

    /// <summary>Forgets threads that held work and targets so far: the steady part of a run begins.</summary>
    public void ForgetWork()
    {
        _peakHoldingWork = 0;
        _peakTarget = 0;
    }

    private void Sample()
    {
        while (true)
        {
            long start = Stopwatch.GetTimestamp();
            Take();
            TimeSpan pause = Stopwatch.GetElapsedTime(start) * Share;
            Thread.Sleep(pause < s_period ? s_period : pause < s_longest ? pause : s_longest);
        }
    }

    private void Take()
    {
        PoolReading reading = _pool.Read();
        _peak = Math.Max(_peak, Math.Max(reading.Threads, reading.Peak));
        _peakHoldingWork = Math.Max(_peakHoldingWork, reading.HoldingWork);
        _peakTarget = Math.Max(_peakTarget, reading.Target);
    }
}
