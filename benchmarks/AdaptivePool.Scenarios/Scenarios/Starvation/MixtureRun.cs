using System.Diagnostics;
using AdaptivePool.Scenarios.Harness;
using AdaptivePool.Scenarios.Load;

namespace AdaptivePool.Scenarios.Scenarios.Starvation;

/// <summary>300 items that wait 1 s among 3,000 that wait 1 ms, after other work of the same class.</summary>
public static class MixtureRun
{
    private const int Items = 3_300;
    private const int LongEvery = 11;
    private static readonly TimeSpan s_short = TimeSpan.FromMilliseconds(1);
    private static readonly TimeSpan s_long = TimeSpan.FromSeconds(1);

    /// <summary>Runs the items and reports how long all of them took.</summary>
    /// <param name="child">The process.</param>
    /// <param name="reads">The items read from sockets; otherwise they sleep.</param>
    public static void Run(ChildContext child, bool reads)
    {
        using SemaphoreSlim permits = new(16);
        Task.WaitAll(Enumerable.Range(0, 1_000).Select(_ => child.Pool.Run(Share)).ToArray());

        using SlowPartner? partner = reads ? new SlowPartner() : null;
        Action<TimeSpan> wait = partner is null ? Thread.Sleep : partner.Ask;
        PeakSampler sampler = new(child.Pool);
        long start = Stopwatch.GetTimestamp();
        Task all = Task.WhenAll(Enumerable.Range(0, Items).Select(i => child.Pool.Run(() => wait(i % LongEvery == 0 ? s_long : s_short))));
        TimeSpan limit = child.Seconds(120, 30);
        bool done = all.Wait(limit);
        child.Report("all-done-s", done ? Stopwatch.GetElapsedTime(start).TotalSeconds : limit.TotalSeconds, censored: !done);
        child.Report("peak-threads", sampler.Peak);

        void Share()
        {
            permits.Wait();
            Thread.Sleep(20);
            permits.Release();
        }
    }
}
