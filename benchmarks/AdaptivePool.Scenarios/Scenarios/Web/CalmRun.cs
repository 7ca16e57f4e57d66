using AdaptivePool.Scenarios.Harness;

namespace AdaptivePool.Scenarios.Scenarios.Web;

/// <summary>The first seconds of an app: few requests that await several times, beside many that only answer. Nothing is warm, and everything counts.</summary>
public static class CalmRun
{
    private const int Connections = 64;
    private static readonly TimeSpan s_period = TimeSpan.FromMilliseconds(50);
    private static readonly TimeSpan s_duration = TimeSpan.FromSeconds(6);

    /// <summary>The metrics reported here, beside those of the closed loops.</summary>
    public static IReadOnlyList<MetricInfo> Metrics { get; } =
    [
        new("awaits-p50-ms", "ms", Better.Lower),
        new("awaits-p99-ms", "ms", Better.Lower),
    ];

    /// <summary>Measures one round.</summary>
    public static async Task<IReadOnlyList<MeasuredValue>> MeasureAsync(Uri address, ServerCpu cpu, int? connections, CancellationToken cancellationToken)
    {
        HttpLoad load = new(new Uri(address, WebServer.Hello), connections ?? Connections);
        using HttpProbe awaits = new(new Uri(address, WebServer.Awaits), s_period);
        Task<double> loaded = load.RunAsync(TimeSpan.Zero, s_duration, cancellationToken, cpu.Look);
        await Task.Factory.StartNew(
            () => awaits.Run(TimeSpan.Zero, s_duration, cancellationToken), CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        double seconds = await loaded;
        return
        [
            new("requests-per-s", load.Answered / seconds),
            .. cpu.PerRequest(load.Answered),
            new("awaits-p50-ms", awaits.Latency.Milliseconds(0.5), awaits.Unanswered > 0),
            new("awaits-p99-ms", awaits.Latency.Milliseconds(0.99), awaits.Unanswered > 0),
            new("unanswered", awaits.Unanswered),
            new("errors", load.Failed + load.TooMany + load.Unavailable + awaits.Failed),
        ];
    }
}
