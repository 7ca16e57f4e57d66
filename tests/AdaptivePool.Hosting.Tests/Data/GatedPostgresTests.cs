using System.Data.Common;
using AdaptivePool.Admission;
using AdaptivePool.Data;
using AdaptivePool.Hosting.Tests.Apps;
using AdaptivePool.Hosting.Tests.Samples;
using Npgsql;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Data;

/// <summary>A gated data source around a real server, which takes connections away.</summary>
[Collection(PostgresServerCollection.Name)]
public sealed class GatedPostgresTests(PostgresServer server)
{
    private const int Limit = 4;
    private const int Transactions = 40;
    private const int FewestKills = 5;

    [PostgresFact]
    public async Task Connection_KilledInsideATransaction_ThePermitComesBack()
    {
        await using var database = await server.CreateDatabaseAsync();
        using var gate = new TransactionGate(new TransactionGateOptions { PermitLimit = 1 });
        await using var source = new GatedDataSource(database.Source, gate);
        await using var connection = await source.OpenConnectionAsync();
        await using var transaction = await connection.BeginTransactionAsync();
        var backend = (int)(await KeptSource.Command(connection, "SELECT pg_backend_pid()", transaction).ExecuteScalarAsync())!;

        await database.ExecuteAsync($"SELECT pg_terminate_backend({backend})");
        await Should.ThrowAsync<NpgsqlException>(() => KeptSource.Command(connection, "SELECT 1", transaction).ExecuteScalarAsync());

        // Before anybody disposes anything.
        gate.GetSnapshot().Held.ShouldBe(0);
        using var next = gate.AttemptAcquire();
        next.IsAcquired.ShouldBeTrue();
    }

    [PostgresFact]
    public async Task Transactions_WithRandomKills_NeverExceedTheLimitAndAllPermitsComeBack()
    {
        await using var database = await server.CreateDatabaseAsync();
        await database.ExecuteAsync("CREATE TABLE counters (id int PRIMARY KEY, value int); INSERT INTO counters SELECT i, 0 FROM generate_series(0, 63) AS i");
        using var gate = new TransactionGate(new TransactionGateOptions { PermitLimit = Limit });
        await using var source = new GatedDataSource(database.Source, gate);
        var committed = 0;
        var killed = 0;
        var most = 0;
        using var done = new CancellationTokenSource();

        // Not what the server says: a session that was killed is still listed there for a while after its client knows.
        var killer = database.KillAtRandomAsync(0.1, onlyInTransaction: true, TimeSpan.Zero, () => most = Math.Max(most, gate.GetLeases().Count), done.Token);

        await Task.WhenAll(Enumerable.Range(0, 32).Select(client => Task.Run(async () =>
        {
            for (var i = 0; i < Transactions || Volatile.Read(ref killed) < FewestKills; i++)
            {
                try
                {
                    await using var connection = await source.OpenConnectionAsync();
                    await using var transaction = await connection.BeginTransactionAsync();
                    await KeptSource.Command(connection, $"UPDATE counters SET value = value + 1 WHERE id = {client}", transaction).ExecuteNonQueryAsync();
                    await transaction.CommitAsync();
                    Interlocked.Increment(ref committed);
                }
                catch (DbException)
                {
                    Interlocked.Increment(ref killed);
                }
            }
        }))).WaitAsync(TestApp.Patience * 4);
        await done.CancelAsync();
        await killer.WaitAsync(TestApp.Patience);

        committed.ShouldBeGreaterThan(0);
        killed.ShouldBeGreaterThanOrEqualTo(FewestKills);
        most.ShouldBeLessThanOrEqualTo(Limit);
        var end = gate.GetSnapshot();
        (end.Held, end.Queued, gate.GetLeases().Count).ShouldBe((0, 0, 0));
    }

    /// <summary>A transaction, or a statement that counts as one.</summary>
    [PostgresTheory]
    [InlineData(AutoCommitHandling.Pass)]
    [InlineData(AutoCommitHandling.Count)]
    public async Task Administrator_CancelsATransaction_ItsStatementEndsOnTheServer(AutoCommitHandling autoCommit)
    {
        await using var database = await server.CreateDatabaseAsync();
        using var gate = new TransactionGate(new TransactionGateOptions { PermitLimit = 1 });
        await using var source = new GatedDataSource(database.Source, gate, new GatedDataSourceOptions { AutoCommit = autoCommit });
        await using var connection = await source.OpenConnectionAsync();
        await using var transaction = autoCommit == AutoCommitHandling.Pass ? await connection.BeginTransactionAsync() : null;
        var endless = KeptSource.Command(connection, "SELECT pg_sleep(600)", transaction).ExecuteScalarAsync();
        const string Sleeping = "pg_stat_activity WHERE datname = current_database() AND query = 'SELECT pg_sleep(600)' AND state = 'active'";
        await database.WaitForAsync(Sleeping, 1);

        gate.Cancel(gate.GetLeases().Single().Id).ShouldBeTrue();

        await Should.ThrowAsync<OperationCanceledException>(() => endless.WaitAsync(TestApp.Patience));
        await database.WaitForAsync(Sleeping, 0);
        await (transaction?.RollbackAsync() ?? Task.CompletedTask);
        gate.GetSnapshot().Held.ShouldBe(0);
        (await KeptSource.ScalarAsync(connection, "SELECT 1")).ShouldBe(1);
    }
}
