using System.Diagnostics;
using AdaptivePool.Scenarios.Harness;
using AdaptivePool.Scenarios.Load;
using AdaptivePool.Scenarios.Scenarios.Starvation;

namespace AdaptivePool.Scenarios.Scenarios.Bursts;

/// <summary>One round of more clients than a device can serve, among short requests that do not use it.</summary>
internal static class DeviceRun
{
    private const int Clients = 64;
    private const double SteadyFrom = 2.0 / 3;
    private static readonly TimeSpan s_period = TimeSpan.FromMilliseconds(5);
    private static readonly TimeSpan s_look = TimeSpan.FromMilliseconds(5);

    public static void Run(ChildContext child, BurstServer server)
    {
        BurstWork answer = server.Answer(apart: true);
        BurstWork operation = server.Operate();
        ShortItems items = new(answer.Target, answer.Work, s_period);
        ClosedLoop clients = new(operation.Target, Clients, operation.Work);
        clients.Allow(Clients);
        Thread.Sleep(child.Seconds(4, 3));
        clients.Latency.Clear();
        long done = clients.Completed;
        (int peak, int steady) = (0, 0);
        TimeSpan measured = child.Seconds(10, 5);
        long start = Stopwatch.GetTimestamp();
        for (; Stopwatch.GetElapsedTime(start) < measured; Thread.Sleep(s_look))
        {
            int threads = server.Threads;
            peak = Math.Max(peak, threads);
            steady = Stopwatch.GetElapsedTime(start) > measured * SteadyFrom ? Math.Max(steady, threads) : 0;
        }

        long end = Stopwatch.GetTimestamp();
        child.Report("operations-per-s", (clients.Completed - done) / Stopwatch.GetElapsedTime(start, end).TotalSeconds);
        child.Report("operation-p99-ms", clients.Latency.Milliseconds(0.99));
        items.Stop();
        child.Report("short-p99-ms", items.Latency(start, end).TotalMilliseconds);
        child.Report("peak-threads", peak);
        child.Report("threads-steady", steady);
    }
}
