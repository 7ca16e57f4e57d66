using AdaptivePool.Scenarios.Harness;

namespace AdaptivePool.Scenarios.Scenarios.Web;

/// <summary>A service that hardly anybody asks, such as one that only a probe of its health calls: what it costs to be there.</summary>
public static class SeldomRun
{
    private const int Connections = 4;
    private static readonly TimeSpan s_period = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_settling = TimeSpan.FromSeconds(8);

    /// <summary>The metrics reported here, beside those of the closed loops.</summary>
    public static IReadOnlyList<MetricInfo> Metrics { get; } = [new("cpu-percent", "% of a core", Better.Lower)];

    /// <summary>Measures one round.</summary>
    /// <param name="server">Where the server listens.</param>
    /// <param name="cpu">Its CPU time.</param>
    /// <param name="warmUp">How long it is under load before.</param>
    /// <param name="duration">How long it is measured.</param>
    /// <param name="cancellationToken">Ends it.</param>
    public static async Task<IReadOnlyList<MeasuredValue>> MeasureAsync(
        Uri server, ServerCpu cpu, TimeSpan warmUp, TimeSpan duration, CancellationToken cancellationToken)
    {
        Uri hello = new(server, WebServer.Hello);
        HttpLoad warm = new(hello, Connections);
        await warm.RunAsync(TimeSpan.Zero, warmUp, cancellationToken);
        using HttpProbe settling = new(hello, s_period);
        using HttpProbe seldom = new(hello, s_period);
        await Task.Factory.StartNew(
            () =>
            {
                settling.Run(TimeSpan.Zero, s_settling, cancellationToken);
                cpu.Look();
                seldom.Run(TimeSpan.Zero, duration, cancellationToken);
                cpu.Look();
            },
            CancellationToken.None,
            TaskCreationOptions.LongRunning,
            TaskScheduler.Default);
        return
        [
            new("cpu-percent", cpu.OwnMicroseconds / duration.TotalMicroseconds * 100),
            new("p50-ms", seldom.Latency.Milliseconds(0.5), seldom.Unanswered > 0),
            new("unanswered", settling.Unanswered + seldom.Unanswered),
            new("errors", warm.Failed + settling.Failed + seldom.Failed),
        ];
    }
}
