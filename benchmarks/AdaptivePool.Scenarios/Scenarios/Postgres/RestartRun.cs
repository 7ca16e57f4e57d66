using System.Diagnostics;
using AdaptivePool.Scenarios.Harness;
using AdaptivePool.Scenarios.Load;
using Npgsql;

namespace AdaptivePool.Scenarios.Scenarios.Postgres;

/// <summary>Asynchronous clients whose server is restarted by the parent, as after a crash: how long until the throughput is back, and whether every permit
/// came back.</summary>
public sealed class RestartRun(ChildContext child)
{
    private const int Clients = 256;
    private const double Recovered = 0.9;
    private const double RecoveredFor = 0.5;
    private static readonly TimeSpan s_look = TimeSpan.FromMilliseconds(10);
    private static readonly TimeSpan s_limit = TimeSpan.FromMinutes(1);

    /// <summary>What a client waits before it tries again: without it, clients without a server would keep the machine from starting one.</summary>
    private static readonly TimeSpan s_again = TimeSpan.FromMilliseconds(50);

    private readonly PostgresWork _work = new(child, synchronous: false);

    /// <summary>The metrics reported here; permits and the queue are those of the kills too.</summary>
    public static IReadOnlyList<MetricInfo> Metrics { get; } =
    [
        new("recovery-seconds", "s", Better.Lower),
        new("outage-seconds", "s"),
        new("permits-lost", "permits", Better.Lower),
        new("queued-at-end", "transactions", Better.Lower),
    ];

    /// <summary>Measures what is usual, lets the parent restart the server, and follows what comes.</summary>
    public void Measure(TimeSpan warmUp, TimeSpan before, TimeSpan after)
    {
        ClosedLoop loop = new(child.Pool.Whole, Clients, null, _work.Bank.RunAsync, pause: s_again);
        loop.Allow(Clients);
        Thread.Sleep(warmUp);
        double usual = RateOf(loop, before, out _);
        child.Report("outage-seconds", AwaitOutage().TotalSeconds);
        RateOf(loop, after, out RateRecorder rates);
        double? recovery = rates.FirstAtLeast(Recovered * usual, RecoveredFor);
        child.Report("tps", usual);
        child.Report("recovery-seconds", recovery ?? after.TotalSeconds, censored: recovery is null);
        loop.Drain(s_limit);

        _work.ReportLeftovers();
        child.Report("errors", loop.Failed);
    }

    private static double RateOf(ClosedLoop loop, TimeSpan duration, out RateRecorder rates)
    {
        long completed = loop.Completed;
        rates = RateRecorder.Record(() => loop.Completed - completed, Stopwatch.GetTimestamp(), duration);
        return rates.Rate(0, rates.Seconds);
    }

    /// <summary>Tells the parent that it may restart the server; watches a connection until it breaks, and then until another one can be opened.</summary>
    private TimeSpan AwaitOutage()
    {
        string connectionString = child.Setting(PostgresEnvironment.ConnectionSetting) + ";Pooling=false";
        long start = Stopwatch.GetTimestamp();
        using (NpgsqlConnection watched = new(connectionString))
        {
            watched.Open();
            child.ReportReady(child.Case);
            while (Try(() => Ask(watched)))
            {
                Pause(start);
            }
        }

        long down = Stopwatch.GetTimestamp();
        while (!Try(() => Open(connectionString)))
        {
            Pause(start);
        }

        return Stopwatch.GetElapsedTime(down);
    }

    private static void Pause(long since)
    {
        if (Stopwatch.GetElapsedTime(since) > s_limit)
        {
            throw new TimeoutException($"The server was not restarted within {s_limit.TotalSeconds} s.");
        }

        Thread.Sleep(s_look);
    }

    private static bool Try(Action action)
    {
        try
        {
            action();
            return true;
        }
        catch (NpgsqlException)
        {
            return false;
        }
    }

    private static void Ask(NpgsqlConnection connection)
    {
        using NpgsqlCommand command = new("SELECT 1", connection);
        command.ExecuteScalar();
    }

    private static void Open(string connectionString)
    {
        using NpgsqlConnection connection = new(connectionString);
        connection.Open();
    }
}
