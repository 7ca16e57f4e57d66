using AdaptivePool.Scenarios.Harness;

namespace AdaptivePool.Scenarios.Scenarios.Web;

/// <summary>256 connections whose requests block, and how long everybody else waits meanwhile.</summary>
public static class StarvedRun
{
    private const int ConnectionsPerEndpoint = 128;
    private static readonly TimeSpan s_period = TimeSpan.FromMilliseconds(10);
    private static readonly TimeSpan s_growth = TimeSpan.FromSeconds(1);

    /// <summary>The metrics reported here.</summary>
    public static IReadOnlyList<MetricInfo> Metrics { get; } =
    [
        new("hello-p50-ms", "ms", Better.Lower),
        new("hello-p99-ms", "ms", Better.Lower),
        new("hello-first-second-worst-ms", "ms", Better.Lower),
        new("health-p50-ms", "ms", Better.Lower),
        new("health-p99-ms", "ms", Better.Lower),
        new("health-first-second-worst-ms", "ms", Better.Lower),
        new("partner-requests-per-s", "1/s", Better.Higher),
        new("legacy-requests-per-s", "1/s", Better.Higher),
        new("unanswered", "requests", Better.Lower),
    ];

    /// <summary>Measures one round.</summary>
    public static async Task<IReadOnlyList<MeasuredValue>> MeasureAsync(Uri server, TimeSpan duration, CancellationToken cancellationToken)
    {
        string[] paths = [WebServer.Hello, WebServer.Health, WebServer.Partner, WebServer.Legacy];
        foreach (string path in paths)
        {
            await WarmUpAsync(new Uri(server, path), cancellationToken);
        }

        HttpLoad partner = new(new Uri(server, WebServer.Partner), ConnectionsPerEndpoint);
        HttpLoad legacy = new(new Uri(server, WebServer.Legacy), ConnectionsPerEndpoint);
        using HttpProbe hello = new(new Uri(server, WebServer.Hello), s_period);
        using HttpProbe health = new(new Uri(server, WebServer.Health), s_period);
        Task<double> partnerLoad = partner.RunAsync(s_growth, duration, cancellationToken);
        Task<double> legacyLoad = legacy.RunAsync(s_growth, duration, cancellationToken);
        Task helloAsked = OnThread(() => hello.Run(s_growth, duration, cancellationToken));
        Task healthAsked = OnThread(() => health.Run(s_growth, duration, cancellationToken));
        await Task.WhenAll(partnerLoad, legacyLoad, helloAsked, healthAsked);
        return
        [
            .. Latencies("hello", hello),
            .. Latencies("health", health),
            new("partner-requests-per-s", partner.Answered / await partnerLoad),
            new("legacy-requests-per-s", legacy.Answered / await legacyLoad),
            new("unanswered", hello.Unanswered + health.Unanswered),
            new("errors", hello.Failed + health.Failed + partner.Failed + legacy.Failed),
        ];
    }

    private static IEnumerable<MeasuredValue> Latencies(string name, HttpProbe probe) =>
    [
        new($"{name}-p50-ms", probe.Latency.Milliseconds(0.5), probe.Unanswered > 0),
        new($"{name}-p99-ms", probe.Latency.Milliseconds(0.99), probe.Unanswered > 0),
        new($"{name}-first-second-worst-ms", probe.WorstUncountedMilliseconds, probe.Unanswered > 0),
    ];

    /// <summary>One connection at a time: the code gets compiled, and no pool gets a reason to grow.</summary>
    private static async Task WarmUpAsync(Uri url, CancellationToken cancellationToken)
    {
        const int Requests = 40;
        using HttpConnection connection = new(url);
        await connection.ConnectAsync(cancellationToken);
        for (int i = 0; i < Requests; i++)
        {
            await connection.RequestAsync(cancellationToken);
        }
    }

    private static Task OnThread(Action body) =>
        Task.Factory.StartNew(body, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
}
