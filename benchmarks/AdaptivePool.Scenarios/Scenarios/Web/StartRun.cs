using System.Diagnostics;
using AdaptivePool.Scenarios.Harness;

namespace AdaptivePool.Scenarios.Scenarios.Web;

/// <summary>
/// What an app costs until it has answered once, and how many asynchronous queries it answers in the three seconds after that. Nothing is warm, and the time
/// begins with the process.
/// </summary>
public static class StartRun
{
    private const int Connections = 8;
    private static readonly TimeSpan s_duration = TimeSpan.FromSeconds(3);

    /// <summary>The metrics reported here, beside those of the closed loops.</summary>
    public static IReadOnlyList<MetricInfo> Metrics { get; } =
    [
        new("first-answer-ms", "ms", Better.Lower),
        new("first-answer-cpu-ms", "ms", Better.Lower),
    ];

    /// <summary>Measures one round.</summary>
    /// <param name="address">Where the server listens.</param>
    /// <param name="server">The server.</param>
    /// <param name="startedAt">When its process was started, as <see cref="Stopwatch.GetTimestamp"/>.</param>
    /// <param name="cancellationToken">Ends it.</param>
    public static async Task<IReadOnlyList<MeasuredValue>> MeasureAsync(Uri address, ChildProcess server, long startedAt, CancellationToken cancellationToken)
    {
        using HttpConnection first = new(new Uri(address, WebServer.Hello));
        await first.ConnectAsync(cancellationToken);
        int status = await first.RequestAsync(cancellationToken);
        double milliseconds = Stopwatch.GetElapsedTime(startedAt).TotalMilliseconds;
        double cpu = server.CpuTime.TotalMilliseconds;
        HttpLoad load = new(new Uri(address, WebServer.AsyncQuery), Connections);
        double seconds = await load.RunAsync(TimeSpan.Zero, s_duration, cancellationToken);
        return
        [
            new("first-answer-ms", milliseconds),
            new("first-answer-cpu-ms", cpu),
            new("requests-per-s", load.Answered / seconds),
            new("errors", load.Failed + load.TooMany + load.Unavailable + (status == 200 ? 0 : 1)),
        ];
    }
}
