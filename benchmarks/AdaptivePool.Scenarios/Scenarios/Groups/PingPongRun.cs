using System.Diagnostics;
using AdaptivePool.Scenarios.Harness;
using AdaptivePool.Scenarios.Load;

namespace AdaptivePool.Scenarios.Scenarios.Groups;

/// <summary>The same clients on a pool whose workers may wait for the next item with a route, and on one whose workers do not, in turns.</summary>
public static class PingPongRun
{
    private const int Turns = 5;
    private const double ItemMilliseconds = 0.005;

    /// <summary>Waiting that is meant to pay must have begun by then.</summary>
    private static readonly TimeSpan s_most = TimeSpan.FromSeconds(10);

    private static readonly TimeSpan s_batchWait = TimeSpan.FromMicroseconds(100);

    /// <summary>Measures and reports.</summary>
    public static void Measure(ChildContext child, PingPongCase load)
    {
        using var plain = new AdaptiveThreadPool(new AdaptivePoolOptions { Name = "plain" });
        using var batching = new AdaptiveThreadPool(new AdaptivePoolOptions { Name = "batching", BatchWait = s_batchWait });
        CpuBurner burner = child.CreateBurner();
        TimeSpan turn = child.Seconds(4, 2);
        Run(plain, load, burner, turn);

        // Until it has begun to wait, or has had the time for it.
        var begun = Stopwatch.StartNew();
        while (begun.Elapsed < s_most && !Run(batching, load, burner, TimeSpan.FromMilliseconds(500)).IsBatching)
        {
            // The next turn.
        }

        bool isOn = begun.Elapsed < s_most;
        double after = begun.Elapsed.TotalSeconds;
        double[] without = new double[Turns], with = new double[Turns];
        int waited = 0;
        for (int i = 0; i < Turns; i++)
        {
            without[i] = Run(plain, load, burner, turn).PerSecond;
            (with[i], bool isBatching) = Run(batching, load, burner, turn);
            waited += isBatching ? 1 : 0;
        }

        child.Report("plain-per-s", without.Order().ElementAt(Turns / 2));
        child.Report("batch-of-plain", with.Zip(without, static (ours, theirs) => ours / theirs).Order().ElementAt(Turns / 2));
        child.Report("batch-turns", waited / (double)Turns);
        child.Report("batch-on-after-s", after, censored: !isOn);
    }

    private static (double PerSecond, bool IsBatching) Run(AdaptiveThreadPool pool, PingPongCase load, CpuBurner burner, TimeSpan time)
    {
        WorkClass routed = pool.GetClass("routed");
        long ended = 0;
        bool stops = false;
        var threads = new Thread[load.Clients];
        for (int client = 0; client < threads.Length; client++)
        {
            int route = client;
            threads[client] = new Thread(() =>
            {
                var item = new Item(burner, load.Spins);
                while (!Volatile.Read(ref stops))
                {
                    item.Begin();
                    routed.UnsafeQueueUserWorkItemRouted(route, item);
                    item.Wait();
                    Interlocked.Increment(ref ended);
                    burner.Burn(load.GapMicroseconds / 1e3);
                }
            });
            threads[client].Start();
        }

        long start = Stopwatch.GetTimestamp();
        Thread.Sleep(time);
        double perSecond = Interlocked.Read(ref ended) / Stopwatch.GetElapsedTime(start).TotalSeconds;
        bool isBatching = routed.GetSnapshot().IsBatching;
        Volatile.Write(ref stops, true);
        Array.ForEach(threads, static thread => thread.Join());
        return (perSecond, isBatching);
    }

    private sealed class Item(CpuBurner burner, bool spins) : IThreadPoolWorkItem
    {
        private readonly AutoResetEvent? _ended = spins ? null : new(false);
        private bool _hasEnded;

        public void Begin() => Volatile.Write(ref _hasEnded, false);

        public void Wait()
        {
            if (_ended is not null)
            {
                _ended.WaitOne();
                return;
            }

            while (!Volatile.Read(ref _hasEnded))
            {
                Thread.SpinWait(1);
            }
        }

        public void Execute()
        {
            burner.Burn(ItemMilliseconds);
            Volatile.Write(ref _hasEnded, true);
            _ended?.Set();
        }
    }
}
