using System.Diagnostics;
using AdaptivePool.Scenarios.Harness;

namespace AdaptivePool.Scenarios.Scenarios.Web;

/// <summary>Hub calls that all block at once, and how long everybody else waits meanwhile.</summary>
public static class HubRun
{
    private const int Connections = 64;
    private const int SleepMilliseconds = 1_000;
    private static readonly TimeSpan s_period = TimeSpan.FromMilliseconds(10);
    private static readonly TimeSpan s_quiet = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_probed = TimeSpan.FromSeconds(3);

    /// <summary>The metrics reported here, beside those of <see cref="StarvedRun"/>.</summary>
    public static IReadOnlyList<MetricInfo> Metrics { get; } = [new("hello-worst-ms", "ms", Better.Lower), new("hub-calls-done-s", "s", Better.Lower)];

    /// <summary>Measures one round.</summary>
    public static async Task<IReadOnlyList<MeasuredValue>> MeasureAsync(Uri server, CancellationToken cancellationToken)
    {
        HubConnection[] hubs = [.. Enumerable.Range(0, Connections).Select(static _ => new HubConnection())];
        using HttpProbe hello = new(new Uri(server, WebServer.Hello), s_period);
        try
        {
            foreach (HubConnection hub in hubs)
            {
                await hub.ConnectAsync(server, cancellationToken);
                await hub.SleepAsync(0, cancellationToken);
            }

            Task asked = Task.Factory.StartNew(() => hello.Run(s_quiet, s_probed, cancellationToken), CancellationToken.None, TaskCreationOptions.LongRunning,
                TaskScheduler.Default);
            await Task.Delay(s_quiet, cancellationToken);
            long start = Stopwatch.GetTimestamp();
            bool[] answered = await Task.WhenAll(hubs.Select(hub => hub.SleepAsync(SleepMilliseconds, cancellationToken)));
            double done = Stopwatch.GetElapsedTime(start).TotalSeconds;
            await asked;
            return
            [
                new("hello-p50-ms", hello.Latency.Milliseconds(0.5), hello.Unanswered > 0),
                new("hello-p99-ms", hello.Latency.Milliseconds(0.99), hello.Unanswered > 0),
                new("hello-worst-ms", hello.Latency.Milliseconds(1), hello.Unanswered > 0),
                new("hub-calls-done-s", done),
                new("unanswered", hello.Unanswered),
                new("errors", hello.Failed + answered.Count(static good => !good)),
            ];
        }
        finally
        {
            foreach (HubConnection hub in hubs)
            {
                hub.Dispose();
            }
        }
    }
}
