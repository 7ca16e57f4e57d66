using System.Diagnostics;
using AdaptivePool.Scenarios.Load;

namespace AdaptivePool.Scenarios.Scenarios.Shares;

/// <summary>Items that come at their own pace, whatever becomes of those before: exponential gaps, handed out once in a millisecond.</summary>
/// <param name="burner">What computes.</param>
/// <param name="milliseconds">CPU time of an item.</param>
public sealed class OpenLoop(CpuBurner burner, double milliseconds)
{
    private readonly LatencyHistogram _latencies = new();
    private long _used;
    private bool _counts;
    private bool _ends;

    /// <summary>CPU time of its items so far, in nanoseconds.</summary>
    public long Used => Interlocked.Read(ref _used);

    /// <summary>The 99th percentile from arrival to end, in milliseconds, of what came in the last measured time.</summary>
    public double Tail => _latencies.Milliseconds(0.99);

    /// <summary>Lets items that wait do nothing.</summary>
    public void End() => Volatile.Write(ref _ends, true);

    /// <summary>Sends items for some time.</summary>
    /// <param name="queue">Where an item goes; the number says which one it is.</param>
    /// <param name="perSecond">Items in a second.</param>
    /// <param name="warmUp">Time at the beginning of which nothing is counted.</param>
    /// <param name="measured">Time that is.</param>
    /// <param name="seed">Of the gaps.</param>
    /// <param name="isCounted">Which items count.</param>
    /// <param name="onMeasured">Called when the measured time begins.</param>
    public void Run(
        Action<int, IThreadPoolWorkItem> queue, double perSecond, TimeSpan warmUp, TimeSpan measured, int seed, Func<int, bool> isCounted, Action onMeasured)
    {
        var random = new Random(seed);
        _latencies.Clear();
        Volatile.Write(ref _counts, false);
        long start = Stopwatch.GetTimestamp();
        double next = 0;
        int number = 0;
        while (true)
        {
            TimeSpan now = Stopwatch.GetElapsedTime(start);
            if (now >= warmUp + measured)
            {
                return;
            }

            if (!_counts && now >= warmUp)
            {
                Volatile.Write(ref _counts, true);
                onMeasured();
            }

            while (next <= now.TotalSeconds)
            {
                queue(number, new Item(this, _counts && isCounted(number)));
                number++;
                next -= Math.Log(1 - random.NextDouble()) / perSecond;
            }

            Thread.Sleep(1);
        }
    }

    private sealed class Item(OpenLoop owner, bool counts) : IThreadPoolWorkItem
    {
        private readonly long _cameAt = Stopwatch.GetTimestamp();

        public void Execute()
        {
            if (Volatile.Read(ref owner._ends))
            {
                return;
            }

            long start = ThreadCpu.Nanoseconds();
            owner.Burn();
            Interlocked.Add(ref owner._used, ThreadCpu.Nanoseconds() - start);
            if (counts)
            {
                owner._latencies.Add(Stopwatch.GetTimestamp() - _cameAt);
            }
        }
    }

    private void Burn() => burner.Burn(milliseconds);
}
