using System.Data.Common;
using System.Globalization;
using AdaptivePool.Admission;
using AdaptivePool.Data;
using AdaptivePool.Hosting.Tests.Apps;
using AdaptivePool.Hosting.Tests.Samples;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Data;

/// <summary>
/// What a gated data source with connections of its own makes of a server that takes them away.
/// ADAPTIVEPOOL_KILLED_TRANSACTIONS sets how many transactions run under random kills; the default is a number that takes seconds.
/// </summary>
[Collection(PostgresServerCollection.Name)]
public sealed class GatedRecoveryTests(PostgresServer server)
{
    private const int Limit = 6;
    private const int Clients = 24;
    private const long FewTransactions = 2_000;
    private const int FewestKills = 5;
    private static readonly TimeSpan s_recovers = TimeSpan.FromSeconds(60);
    private static readonly TimeSpan s_betweenKills = TimeSpan.FromMilliseconds(5);

    private static long TransactionsUnderKills =>
        long.TryParse(Environment.GetEnvironmentVariable("ADAPTIVEPOOL_KILLED_TRANSACTIONS"), CultureInfo.InvariantCulture, out var count) ? count
            : FewTransactions;

    /// <summary>A number of one's own may take as long as it takes.</summary>
    private static TimeSpan LongestUnderKills => TransactionsUnderKills == FewTransactions ? 4 * TestApp.Patience : Timeout.InfiniteTimeSpan;

    [PostgresFact]
    public async Task Connection_KilledWhileIdle_IsNotHandedOutAgain()
    {
        await using var database = await server.CreateDatabaseAsync();
        await using var kept = new KeptSource(database, validateAfter: TimeSpan.Zero);
        var source = kept.Source;
        var first = await BackendAsync(source);
        (await BackendAsync(source)).ShouldBe(first);

        await database.ExecuteAsync($"SELECT pg_terminate_backend({first})");
        await database.WaitForAsync($"pg_stat_activity WHERE pid = {first}", 0);

        (await BackendAsync(source)).ShouldNotBe(first);
        source.GetSnapshot().ShouldBe(new GatedDataSourceSnapshot(1, 1, 0, 2, 1, 0));
        kept.Gate.Held.ShouldBe(0);
    }

    [PostgresFact]
    public async Task Transactions_WithRandomKills_EndWithAllPermitsBack()
    {
        await using var database = await server.CreateDatabaseAsync();
        await using var kept = new KeptSource(database, Limit, validateAfter: TimeSpan.Zero, maxLimit: 2 * Limit);
        var source = kept.Source;
        using var done = new CancellationTokenSource();
        var most = 0;
        var killer = database.KillAtRandomAsync(0.05, onlyInTransaction: false, s_betweenKills, () => most = Math.Max(most, kept.Leases.Count), done.Token);
        var left = TransactionsUnderKills;
        long committed = 0;
        long failed = 0;
        await Task.WhenAll(Enumerable.Range(0, Clients).Select(_ => Task.Run(async () =>
        {
            while (Interlocked.Decrement(ref left) >= 0 || Interlocked.Read(ref failed) < FewestKills)
            {
                Interlocked.Increment(ref await TryTransactAsync(source) ? ref committed : ref failed);
            }
        }))).WaitAsync(LongestUnderKills);
        await done.CancelAsync();
        await killer.WaitAsync(TestApp.Patience);

        committed.ShouldBeGreaterThan(0);
        failed.ShouldBeGreaterThanOrEqualTo(FewestKills);
        most.ShouldBeLessThanOrEqualTo(2 * Limit);
        var end = kept.Gate;
        (end.Held, end.Queued, kept.Leases.Count).ShouldBe((0, 0, 0));
        end.Adaptive!.Failed.ShouldBeGreaterThan(0);
        source.GetSnapshot().Waiting.ShouldBe(0);
        source.GetSnapshot().Open.ShouldBe(source.GetSnapshot().Idle);
    }

    [PostgresFact]
    public async Task Server_RestartedUnderLoad_EverythingRecoversAndNoPermitIsLost()
    {
        await using var database = await server.CreateDatabaseAsync();
        await using var kept = new KeptSource(database, Limit, validateAfter: TimeSpan.Zero);
        var source = kept.Source;
        using var done = new CancellationTokenSource();
        long committed = 0;
        long failed = 0;
        Task[] clients = [.. Enumerable.Range(0, Clients).Select(_ => Task.Run(async () =>
        {
            while (!done.IsCancellationRequested)
            {
                if (await TryTransactAsync(source))
                {
                    Interlocked.Increment(ref committed);
                }
                else
                {
                    Interlocked.Increment(ref failed);
                    await Task.Delay(1);
                }
            }
        }))];
        await ReachAsync(() => Interlocked.Read(ref committed) > 100, "transactions run");

        await server.RestartAsync();
        database.ForgetConnections();
        var before = Interlocked.Read(ref committed);
        await ReachAsync(() => Interlocked.Read(ref committed) > before + 500, "transactions run again");
        await done.CancelAsync();
        await Task.WhenAll(clients).WaitAsync(TestApp.Patience);
        failed.ShouldBeGreaterThan(0);
        var end = kept.Gate;
        (end.Held, end.Queued, kept.Leases.Count).ShouldBe((0, 0, 0));

        // A connection comes back a moment after its permit, so a newcomer may open one more in between.
        source.GetSnapshot().Open.ShouldBeLessThanOrEqualTo(2 * Limit);
    }

    private static async Task<int> BackendAsync(GatedDataSource source)
    {
        await using var connection = await source.OpenConnectionAsync();
        await using var transaction = await connection.BeginTransactionAsync();
        var backend = (int)(await KeptSource.Command(connection, "SELECT pg_backend_pid()", transaction).ExecuteScalarAsync())!;
        await transaction.CommitAsync();
        return backend;
    }

    private static async Task<bool> TryTransactAsync(GatedDataSource source)
    {
        try
        {
            await BackendAsync(source);
            return true;
        }
        catch (Exception exception) when (exception is DbException or InvalidOperationException or IOException or TimeoutException)
        {
            // What a provider throws when its connection goes away under it.
            return false;
        }
    }

    private static async Task ReachAsync(Func<bool> condition, string because)
    {
        var begin = System.Diagnostics.Stopwatch.GetTimestamp();
        while (!condition())
        {
            System.Diagnostics.Stopwatch.GetElapsedTime(begin).ShouldBeLessThan(s_recovers, because);
            await Task.Delay(10);
        }
    }
}
