using System.Diagnostics;
using AdaptivePool.Scenarios.Harness;
using AdaptivePool.Scenarios.Scenarios.Starvation;

namespace AdaptivePool.Scenarios.Scenarios.Bursts;

/// <summary>One round of long work among short requests.</summary>
internal static class NonYieldingRun
{
    private const int LongPerCore = 4;
    private static readonly TimeSpan s_long = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_period = TimeSpan.FromMilliseconds(5);
    private static readonly TimeSpan s_limit = TimeSpan.FromSeconds(30);

    public static void Run(ChildContext child, BurstServer server, bool apart)
    {
        BurstWork answer = server.Answer(apart);
        ShortItems items = new(answer.Target, answer.Work, s_period);
        Thread.Sleep(child.Seconds(3, 2));
        int peak = server.Threads;
        Burst burst = new(server.Compute(s_long), LongPerCore * Environment.ProcessorCount);
        long start = Stopwatch.GetTimestamp();
        burst.Send();
        bool done = burst.Wait(s_limit, () => peak = Math.Max(peak, server.Threads));
        long end = Stopwatch.GetTimestamp();
        items.Stop();
        child.Report("short-p99-ms", items.Latency(start, end).TotalMilliseconds);
        child.Report("long-all-done-s", done ? burst.Duration.TotalSeconds : s_limit.TotalSeconds, censored: !done);
        child.Report("peak-threads", peak);
    }
}
