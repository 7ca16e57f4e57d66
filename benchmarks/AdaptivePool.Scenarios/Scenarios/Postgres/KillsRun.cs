using System.Diagnostics;
using AdaptivePool.Hosting.Tests.Samples;
using AdaptivePool.Scenarios.Harness;
using AdaptivePool.Scenarios.Load;

namespace AdaptivePool.Scenarios.Scenarios.Postgres;

/// <summary>Very many asynchronous transactions while the server ends busy sessions at random: whether every permit comes back.</summary>
public sealed class KillsRun(ChildContext child)
{
    private const int Clients = 256;

    /// <summary>Probability for each busy session at each look, twenty times a second.</summary>
    private const double Share = 0.125;

    private static readonly TimeSpan s_betweenKills = TimeSpan.FromMilliseconds(50);
    private static readonly TimeSpan s_draining = TimeSpan.FromMinutes(1);
    private readonly PostgresWork _work = new(child, synchronous: false);

    /// <summary>The metrics reported here.</summary>
    public static IReadOnlyList<MetricInfo> Metrics { get; } = [new("transactions", "transactions"), new("killed", "sessions")];

    /// <summary>Runs so many transactions, or as many as fit into the time.</summary>
    public void Measure(long transactions, TimeSpan limit)
    {
        ClosedLoop loop = new(child.Pool.Whole, Clients, null, _work.Bank.RunAsync);
        using CancellationTokenSource done = new();
        Task<long> killer = RandomKills.RunAsync(child.Setting(PostgresEnvironment.ConnectionSetting), Share, "state <> 'idle'", s_betweenKills, static ()
            => { }, done.Token);
        long start = Stopwatch.GetTimestamp();
        loop.Allow(Clients);
        while (loop.Completed + loop.Failed < transactions && Stopwatch.GetElapsedTime(start) < limit && !killer.IsCompleted)
        {
            Thread.Sleep(s_betweenKills);
        }

        double tps = loop.Completed / Stopwatch.GetElapsedTime(start).TotalSeconds;
        done.Cancel();
        long killed = killer.GetAwaiter().GetResult();
        loop.Drain(s_draining);

        child.Report("tps", tps);
        child.Report("transactions", loop.Completed + loop.Failed);
        child.Report("killed", killed);
        _work.ReportLeftovers();
        child.Report("errors", loop.Failed);
    }
}
