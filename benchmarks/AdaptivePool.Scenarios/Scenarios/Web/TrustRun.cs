using System.Diagnostics;
using AdaptivePool.Scenarios.Harness;

namespace AdaptivePool.Scenarios.Scenarios.Web;

/// <summary>An endpoint that never waited for five seconds and then sleeps in every request, and how long everybody else waits meanwhile.</summary>
public static class TrustRun
{
    /// <summary>How long a request sleeps once the endpoint does.</summary>
    public const int SleepMilliseconds = 1_000;

    private const int Connections = 256;
    private static readonly TimeSpan s_period = TimeSpan.FromMilliseconds(10);
    private static readonly TimeSpan s_trusted = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan s_growth = TimeSpan.FromSeconds(2);
    private static readonly TimeSpan s_end = TimeSpan.FromSeconds(3);
    private static readonly TimeSpan s_wayBack = TimeSpan.FromSeconds(8);
    private static readonly TimeSpan s_look = TimeSpan.FromMilliseconds(50);

    /// <summary>The metrics reported here, beside those of <see cref="StarvedRun"/>.</summary>
    public static IReadOnlyList<MetricInfo> Metrics { get; } =
    [
        new("trusted-requests-per-s", "1/s", Better.Higher),
        new("sleeping-percent-of-ideal", "%", Better.Higher),
        new("minimum-left-higher", "threads", Better.Lower),
        new("trusted-again-after-s", "s", Better.Lower),
        new("rescues", "wakes", Better.Lower),
    ];

    /// <summary>Measures one round.</summary>
    public static async Task<IReadOnlyList<MeasuredValue>> MeasureAsync(Uri server, TimeSpan duration, CancellationToken cancellationToken)
    {
        using HttpClient client = new(new SocketsHttpHandler { UseProxy = false }) { BaseAddress = server, Timeout = TimeSpan.FromMinutes(1) };
        int before = await MinimumAsync(client, cancellationToken);
        HttpLoad trusted = new(new Uri(server, WebServer.Trusted), Connections);
        double trustedSeconds = await trusted.RunAsync(s_trusted / 2, s_trusted / 2, cancellationToken);
        HttpLoad sleeping = new(new Uri(server, WebServer.Trusted), Connections);
        using HttpProbe hello = new(new Uri(server, WebServer.Hello), s_period);
        Task<double> load = sleeping.RunAsync(s_growth, duration, cancellationToken);
        await client.GetStringAsync(new Uri(WebServer.Tire, UriKind.Relative), cancellationToken);
        await Task.Factory.StartNew(() => hello.Run(s_growth, duration, cancellationToken), CancellationToken.None, TaskCreationOptions.LongRunning,
            TaskScheduler.Default);
        double seconds = await load;
        await Task.Delay(s_end, cancellationToken);
        int after = await MinimumAsync(client, cancellationToken);
        (double back, long rescues) = await WayBackAsync(client, new Uri(server, WebServer.Trusted), cancellationToken);
        return
        [
            new("trusted-requests-per-s", trusted.Answered / trustedSeconds),
            new("sleeping-percent-of-ideal", 100 * sleeping.Answered / seconds * SleepMilliseconds / (1_000.0 * Connections)),
            new("hello-p50-ms", hello.Latency.Milliseconds(0.5), hello.Unanswered > 0),
            new("hello-p99-ms", hello.Latency.Milliseconds(0.99), hello.Unanswered > 0),
            new("hello-first-second-worst-ms", hello.WorstUncountedMilliseconds, hello.Unanswered > 0),
            new("minimum-left-higher", after - before),
            new("trusted-again-after-s", Math.Min(back, s_wayBack.TotalSeconds), back > s_wayBack.TotalSeconds),
            new("rescues", rescues),
            new("unanswered", hello.Unanswered),
            new("errors", hello.Failed + trusted.Failed + sleeping.Failed),
        ];
    }

    // From the first request that no longer sleeps; looked at over a connection of its own, of another class.
    private static async Task<(double Seconds, long Rescues)> WayBackAsync(HttpClient client, Uri trusted, CancellationToken cancellationToken)
    {
        await client.GetStringAsync(new Uri(WebServer.Rest, UriKind.Relative), cancellationToken);
        HttpLoad load = new(trusted, Connections);
        long start = Stopwatch.GetTimestamp();
        Task<double> loaded = load.RunAsync(TimeSpan.Zero, s_wayBack, cancellationToken);
        double seconds = double.PositiveInfinity;
        while (!loaded.IsCompleted && double.IsInfinity(seconds))
        {
            await Task.Delay(s_look, cancellationToken);
            (bool isTrusted, _) = await GuestsAsync(client, cancellationToken);
            seconds = isTrusted ? Stopwatch.GetElapsedTime(start).TotalSeconds : seconds;
        }

        await loaded;
        return (seconds, (await GuestsAsync(client, cancellationToken)).Rescues);
    }

    private static async Task<(bool HasGuests, long Rescues)> GuestsAsync(HttpClient client, CancellationToken cancellationToken)
    {
        string[] told = (await client.GetStringAsync(new Uri(WebServer.Guests, UriKind.Relative), cancellationToken)).Split(' ');
        return (bool.Parse(told[0]), long.Parse(told[1], System.Globalization.CultureInfo.InvariantCulture));
    }

    private static async Task<int> MinimumAsync(HttpClient client, CancellationToken cancellationToken) =>
        int.Parse(await client.GetStringAsync(new Uri(WebServer.Minimum, UriKind.Relative), cancellationToken),
            System.Globalization.CultureInfo.InvariantCulture);
}
