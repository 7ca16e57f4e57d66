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
    /// <param name="server">The server's address.</param>
    /// <param name="paced">What is asked, and how often.</param>
    /// <param name="cpu">CPU time of the server.</param>
    /// <param name="warmUp">How long it is under full load before.</param>
    /// <param name="duration">How long it is measured.</param>
    /// <param name="cancellationToken">Ends it.</param>
    public static async Task<IReadOnlyList<MeasuredValue>> MeasureAsync(
        Uri server, PacedCase paced, ServerCpu cpu, TimeSpan warmUp, TimeSpan duration, CancellationToken cancellationToken)
    {
        Uri url = new(server, paced.Path);
        Uri? beside = paced.Beside is { } path ? new(server, path) : null;
        HttpLoad[] warm = [.. new[] { url, beside }.OfType<Uri>().Select(static it => new HttpLoad(it, Connections))];
        foreach (HttpLoad load in warm)
        {
            await load.RunAsync(TimeSpan.Zero, warmUp, cancellationToken);
        }

        using HttpProbe settling = new(url, TimeSpan.FromSeconds(1 / paced.PerSecond));
        using HttpProbe timed = new(url, TimeSpan.FromSeconds(1 / paced.PerSecond));
        using HttpProbe? other = beside is null ? null : new(beside, TimeSpan.FromSeconds(1 / paced.BesidePerSecond));
        Task others = other is null ? Task.CompletedTask : Start(() => other.Run(TimeSpan.Zero, s_settling + duration, cancellationToken));
        await Start(() =>
        {
            settling.Run(TimeSpan.Zero, s_settling, cancellationToken);
            cpu.Look();
            timed.Run(TimeSpan.Zero, duration, cancellationToken);
            cpu.Look();
        });
        await others;
        return
        [
            new("cpu-percent", cpu.OwnMicroseconds / duration.TotalMicroseconds * 100),
            new("p50-ms", timed.Latency.Milliseconds(0.5), timed.Unanswered > 0),
            new("p99-ms", timed.Latency.Milliseconds(0.99), timed.Unanswered > 0),
            new("unanswered", settling.Unanswered + timed.Unanswered + (other?.Unanswered ?? 0)),
            new("errors", warm.Sum(static load => load.Failed) + settling.Failed + timed.Failed + (other?.Failed ?? 0)),
        ];
    }

    private static Task Start(Action run) => Task.Factory.StartNew(run, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
}
