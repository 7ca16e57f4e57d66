using AdaptivePool.Scenarios.Harness;

namespace AdaptivePool.Scenarios.Scenarios.Web;

/// <summary>A warm server that gets requests at a fixed rate and could do far more: what it costs then.</summary>
public static class PacedRun
{
    private const int Connections = 16;
    private static readonly TimeSpan s_settling = TimeSpan.FromSeconds(8);

    /// <summary>The metrics reported here, beside those of the closed loops.</summary>
    public static IReadOnlyList<MetricInfo> Metrics { get; } = [new("cpu-percent", "% of a core", Better.Lower)];

    /// <summary>Measures one round.</summary>
    /// <param name="url">What is asked.</param>
    /// <param name="perSecond">Requests a second.</param>
    /// <param name="cpu">CPU time of the server.</param>
    /// <param name="warmUp">How long it is under full load before.</param>
    /// <param name="duration">How long it is measured.</param>
    /// <param name="cancellationToken">Ends it.</param>
    public static async Task<IReadOnlyList<MeasuredValue>> MeasureAsync(
        Uri url, double perSecond, ServerCpu cpu, TimeSpan warmUp, TimeSpan duration, CancellationToken cancellationToken)
    {
        HttpLoad warm = new(url, Connections);
        await warm.RunAsync(TimeSpan.Zero, warmUp, cancellationToken);
        var period = TimeSpan.FromSeconds(1 / perSecond);
        using HttpProbe settling = new(url, period);
        using HttpProbe paced = new(url, period);
        await Task.Factory.StartNew(
            () =>
            {
                settling.Run(TimeSpan.Zero, s_settling, cancellationToken);
                cpu.Look();
                paced.Run(TimeSpan.Zero, duration, cancellationToken);
                cpu.Look();
            },
            CancellationToken.None,
            TaskCreationOptions.LongRunning,
            TaskScheduler.Default);
        return
        [
            new("cpu-percent", cpu.OwnMicroseconds / duration.TotalMicroseconds * 100),
            new("p50-ms", paced.Latency.Milliseconds(0.5), paced.Unanswered > 0),
            new("p99-ms", paced.Latency.Milliseconds(0.99), paced.Unanswered > 0),
            new("unanswered", settling.Unanswered + paced.Unanswered),
            new("errors", warm.Failed + settling.Failed + paced.Failed),
        ];
    }
}
