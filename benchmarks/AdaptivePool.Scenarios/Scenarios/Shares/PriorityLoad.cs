using System.Diagnostics;
using AdaptivePool.Scenarios.Harness;
using AdaptivePool.Scenarios.Load;
using AdaptivePool.Scenarios.Pools;

namespace AdaptivePool.Scenarios.Scenarios.Shares;

/// <summary>Many more items than there are cores, of two priorities.</summary>
public static class PriorityLoad
{
    private const int Items = 2_000;
    private const int HighOneIn = 10;
    private const double Milliseconds = 0.2;

    /// <summary>Measures how long each priority waits.</summary>
    public static void Measure(ChildContext child)
    {
        CpuBurner burner = child.CreateBurner();
        AdaptiveThreadPool? pool = (child.Pool as AdaptiveComparedPool)?.Pool;
        LatencyHistogram high = new(), low = new();
        bool ends = false;
        for (int i = 0; i < Items; i++)
        {
            Queue(i % HighOneIn == 0);
        }

        Thread.Sleep(child.Seconds(2, 1));
        high.Clear();
        low.Clear();
        Thread.Sleep(child.Seconds(8, 4));
        (double highTail, double lowTail) = (high.Milliseconds(0.99), low.Milliseconds(0.99));
        Volatile.Write(ref ends, true);
        child.Report("high-wait-p99-ms", highTail);
        child.Report("low-wait-p99-ms", lowTail);
        child.Report("high-of-low", highTail / lowTail);

        void Queue(bool isHigh)
        {
            long cameAt = Stopwatch.GetTimestamp();
            if (pool is null)
            {
                // Not as a task: the runtime's pool runs the newest task of a worker first, and those before it not at all.
                child.Pool.Queue(new Item(Run), preferLocal: false);
            }
            else
            {
                _ = pool.Run(Run, isHigh ? WorkPriority.High : WorkPriority.Low);
            }

            void Run()
            {
                (isHigh ? high : low).Add(Stopwatch.GetTimestamp() - cameAt);
                burner.Burn(Milliseconds);
                if (!Volatile.Read(ref ends))
                {
                    // From outside: what an item queues itself continues it, and has no priority.
                    ThreadPool.UnsafeQueueUserWorkItem(static state => state.Again(state.High), (Again: (Action<bool>)Queue, High: isHigh), preferLocal: false);
                }
            }
        }
    }

    private sealed class Item(Action action) : IThreadPoolWorkItem
    {
        public void Execute() => action();
    }
}
