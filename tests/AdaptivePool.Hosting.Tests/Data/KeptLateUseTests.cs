using System.Data.Common;
using AdaptivePool.Admission;
using AdaptivePool.Data;
using AdaptivePool.Hosting.Tests.Apps;
using AdaptivePool.Hosting.Tests.Samples;
using Npgsql;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Data;

/// <summary>
/// What one user still holds when its connection is closed never reaches the session that the next user has:
/// whatever it calls does nothing or throws what the provider throws with a pool of its own, and the other's transaction, rows
/// and statements are as if nobody had been there before.
/// </summary>
[Collection(PostgresServerCollection.Name)]
public sealed class KeptLateUseTests(PostgresServer server)
{
    private const string Three = "SELECT i FROM generate_series(1, 3) AS i";

    private static readonly (string Name, Func<Left, Task> Call)[] s_calls =
    [
        ("transaction.Dispose", static left => Do(left.Transaction.Dispose)),
        ("transaction.DisposeAsync", static left => left.Transaction.DisposeAsync().AsTask()),
        ("transaction.Commit", static left => Do(left.Transaction.Commit)),
        ("transaction.CommitAsync", static left => left.Transaction.CommitAsync()),
        ("transaction.Rollback", static left => Do(left.Transaction.Rollback)),
        ("transaction.RollbackAsync", static left => left.Transaction.RollbackAsync()),
        ("transaction.Save", static left => Do(() => left.Transaction.Save("s"))),
        ("transaction.SaveAsync", static left => left.Transaction.SaveAsync("s")),
        ("transaction.Rollback to", static left => left.Transaction.RollbackAsync("s")),
        ("transaction.Release", static left => left.Transaction.ReleaseAsync("s")),
        ("transaction.IsolationLevel", static left => Do(() => _ = left.Transaction.IsolationLevel)),
        ("transaction of a rolled back one, Dispose", static left => Do(left.Ended.Dispose)),
        ("transaction of a rolled back one, Commit", static left => Do(left.Ended.Commit)),
        ("reader.Read", static left => Do(() => left.Reader.Read())),
        ("reader.ReadAsync", static left => left.Reader.ReadAsync()),
        ("reader.NextResult", static left => Do(() => left.Reader.NextResult())),
        ("reader.NextResultAsync", static left => left.Reader.NextResultAsync()),
        ("reader.Close", static left => Do(left.Reader.Close)),
        ("reader.Dispose", static left => Do(left.Reader.Dispose)),
        ("reader.DisposeAsync", static left => left.Reader.DisposeAsync().AsTask()),
        ("reader.GetInt32", static left => Do(() => left.Reader.GetInt32(0))),
        ("reader.GetValue", static left => Do(() => left.Reader.GetValue(0))),
        ("reader.GetFieldValueAsync", static left => left.Reader.GetFieldValueAsync<int>(0)),
        ("reader.HasRows", static left => Do(() => _ = left.Reader.HasRows)),
        ("reader.FieldCount", static left => Do(() => _ = left.Reader.FieldCount)),
        ("reader.GetSchemaTable", static left => Do(() => left.Reader.GetSchemaTable())),
        ("reader's stream", static left => Do(() => left.Stream.ReadByte())),
        ("reader's stream, Dispose", static left => Do(left.Stream.Dispose)),
        ("reader's text", static left => Do(() => left.Text.Read())),
        ("reader's text, Dispose", static left => Do(left.Text.Dispose)),
        ("command.Cancel", static left => Do(left.Command.Cancel)),
        ("command.Dispose", static left => Do(left.Command.Dispose)),
        ("command.Dispose and its text", static left => Do(() =>
            {
                left.Command.Dispose();
                left.Command.CommandText = "SELECT 7";
                left.Command.Parameters.Clear();
            })
       ),
        ("command.ExecuteScalar", static left => Do(() => left.Command.ExecuteScalar())),
        ("command.ExecuteReaderAsync", static left => left.Command.ExecuteReaderAsync()),
        ("command.Prepare", static left => Do(left.Command.Prepare)),
        ("batch.Cancel", static left => Do(left.Batch.Cancel)),
        ("batch.Dispose", static left => Do(left.Batch.Dispose)),
        ("batch.ExecuteNonQuery", static left => Do(() => left.Batch.ExecuteNonQuery())),
        ("connection.Close", static left => left.Connection.CloseAsync()),
        ("connection.Dispose", static left => left.Connection.DisposeAsync().AsTask()),
        ("connection.ChangeDatabase", static left => Do(() => left.Connection.ChangeDatabase("postgres"))),
        ("connection.BeginTransaction", static left => left.Connection.BeginTransactionAsync().AsTask()),
        ("connection.GetSchema", static left => Do(() => left.Connection.GetSchema())),
    ];

    /// <summary>Its last reader, command and batch are part of a transaction, or statements that count.</summary>
    [PostgresTheory]
    [InlineData(AutoCommitHandling.Pass)]
    [InlineData(AutoCommitHandling.Count)]
    public async Task LateCall_OnWhatAClosedConnectionMade_DoesNotReachTheNextUser(AutoCommitHandling autoCommit)
    {
        await using PostgresDatabase database = await server.CreateDatabaseAsync();
        await database.ExecuteAsync("CREATE TABLE t (v text)");
        await using var unpooled = new KeptSource(database, autoCommit: autoCommit);
        await using NpgsqlDataSource pooled = NpgsqlDataSource.Create(database.ConnectionString + ";Maximum Pool Size=1");
        List<string> wrong = [];
        foreach ((string name, Func<Left, Task> call) in s_calls)
        {
            string expected = await TryAsync(pooled, name, call, autoCommit);
            string found = await TryAsync(unpooled.Source, name, call, autoCommit);
            if (found != expected || !found.EndsWith("3 rows", StringComparison.Ordinal))
            {
                wrong.Add($"{name}: {found}; with the provider's pool: {expected}");
            }
        }

        wrong.ShouldBeEmpty();
        (await database.CountAsync("t WHERE v = 'next'")).ShouldBe(2 * s_calls.Length, "each has committed");
        (await database.CountAsync("t")).ShouldBe(2 * s_calls.Length, "what the others left open was rolled back");
        unpooled.Source.GetSnapshot().ShouldBe(new GatedDataSourceSnapshot(1, 1, 0, 1, 0, 0));
        unpooled.Gate.Held.ShouldBe(0);
    }

    /// <summary>One user leaves things behind, and calls on them in the middle of what the next one does.</summary>
    private static async Task<string> TryAsync(DbDataSource source, string name, Func<Left, Task> call, AutoCommitHandling autoCommit)
    {
        Left left = await Left.BehindAsync(source, name.Contains("text", StringComparison.Ordinal), autoCommit == AutoCommitHandling.Pass);
        await using DbConnection next = await source.OpenConnectionAsync();
        await using DbTransaction transaction = await next.BeginTransactionAsync();
        await KeptSource.ExecuteAsync(next, "INSERT INTO t VALUES ('next')", transaction);
        await using DbCommand command = KeptSource.Command(next, Three, transaction);
        await using DbDataReader reader = await command.ExecuteReaderAsync();
        int rows = await reader.ReadAsync() ? 1 : 0;

        string end = await EndAsync(() => call(left));

        while (await reader.ReadAsync() && reader.GetInt32(0) == rows + 1)
        {
            rows++;
        }

        await reader.DisposeAsync();
        await transaction.CommitAsync();
        return $"{end}, {rows} rows";
    }

    [PostgresTheory]
    [InlineData(0)]
    [InlineData(1)]
    public async Task Transactions_ThatCloseTheirConnectionInsideTheirUsing_AllCommit(int milliseconds)
    {
        await using PostgresDatabase database = await server.CreateDatabaseAsync();
        await database.ExecuteAsync("CREATE TABLE t (v int)");
        await using var kept = new KeptSource(database, limit: 4);
        await Task.WhenAll(Enumerable.Range(0, 16).Select(_ => Task.Run(async () =>
        {
            for (int i = 0; i < 25; i++)
            {
                DbConnection connection = await kept.Source.OpenConnectionAsync();
                await using DbTransaction transaction = await connection.BeginTransactionAsync();
                await KeptSource.ExecuteAsync(connection, "INSERT INTO t VALUES (1)", transaction);
                await transaction.CommitAsync();
                await connection.CloseAsync();
                await Task.Delay(milliseconds);
            }
        }))).WaitAsync(TestApp.Patience);

        (await database.CountAsync("t")).ShouldBe(400);
        kept.Gate.Held.ShouldBe(0);
        kept.Source.GetSnapshot().Discarded.ShouldBe(0);
    }

    /// <summary>Each user leaves objects behind on which others call from other threads while it closes its connection, and afterwards.</summary>
    [PostgresFact]
    public async Task LateCalls_FromOtherThreads_ReachNobodyElse()
    {
        await using PostgresDatabase database = await server.CreateDatabaseAsync();
        await database.ExecuteAsync("CREATE TABLE t (v int)");
        await using var kept = new KeptSource(database, limit: 4);
        var late = new System.Collections.Concurrent.BlockingCollection<Action>(boundedCapacity: 64);
        Thread[] callers = [.. Enumerable.Range(0, 2).Select(_ => new Thread(() =>
        {
            foreach (Action call in late.GetConsumingEnumerable())
            {
                for (int i = 0; i < 20; i++)
                {
                    try
                    {
                        call();
                    }
                    catch (Exception)
                    {
                        // What it is, the other test compares; here it may also meet a call of the owner.
                    }
                }
            }
        }) { IsBackground = true })];
        Array.ForEach(callers, static thread => thread.Start());
        int committed = 0;
        await Task.WhenAll(Enumerable.Range(0, 8).Select(client => Task.Run(async () =>
        {
            for (int i = 0; i < 40; i++)
            {
                await using DbConnection connection = await kept.Source.OpenConnectionAsync();
                DbTransaction transaction = await connection.BeginTransactionAsync();
                await KeptSource.ExecuteAsync(connection, "INSERT INTO t VALUES (1)", transaction);
                DbDataReader reader = await KeptSource.Command(connection, Three, transaction).ExecuteReaderAsync();
                int rows = 0;
                while (await reader.ReadAsync())
                {
                    rows++;
                }

                rows.ShouldBe(3);
                await reader.CloseAsync();
                await transaction.CommitAsync();
                Interlocked.Increment(ref committed);
                late.Add((i % 4) switch { 0 => transaction.Dispose, 1 => transaction.Rollback, 2 => () => reader.Read(), _ => reader.Dispose });
            }
        }))).WaitAsync(TestApp.Patience * 2);
        late.CompleteAdding();
        Array.ForEach(callers, static thread => thread.Join(TestApp.Patience).ShouldBeTrue());

        (await database.CountAsync("t")).ShouldBe(committed);
        committed.ShouldBe(320);
        GatedDataSourceSnapshot end = kept.Source.GetSnapshot();
        (kept.Gate.Held, end.Open - end.Idle).ShouldBe((0, 0));
    }

    /// <summary>A session in which a statement still runs when its connection is closed goes to nobody.</summary>
    [PostgresFact]
    public async Task Close_WhileAStatementRuns_ThrowsTheSessionAway()
    {
        await using PostgresDatabase database = await server.CreateDatabaseAsync();
        await using var kept = new KeptSource(database);
        DbConnection connection = await kept.Source.OpenConnectionAsync();
        DbTransaction transaction = await connection.BeginTransactionAsync();
        Task running = KeptSource.Command(connection, "SELECT pg_sleep(600)", transaction).ExecuteNonQueryAsync();
        await database.WaitForAsync("pg_stat_activity WHERE query = 'SELECT pg_sleep(600)' AND state = 'active'", 1);

        await connection.CloseAsync().WaitAsync(TestApp.Patience);

        await Should.ThrowAsync<Exception>(() => running.WaitAsync(TestApp.Patience));
        kept.Gate.Held.ShouldBe(0);
        kept.Source.GetSnapshot().ShouldBe(new GatedDataSourceSnapshot(0, 0, 0, 1, 1, 0));
        (await kept.UseAsync("SELECT 1")).ShouldBe(1);
    }

    [PostgresFact]
    public async Task Close_ByTwoThreadsAtOnce_GivesTheSessionBackOnce()
    {
        await using PostgresDatabase database = await server.CreateDatabaseAsync();
        await using var kept = new KeptSource(database);
        for (int i = 0; i < 50; i++)
        {
            DbConnection connection = await kept.Source.OpenConnectionAsync();
            await KeptSource.ExecuteAsync(connection, "SELECT 1");
            using var together = new Barrier(2);
            await Task.WhenAll(Enumerable.Range(0, 2).Select(_ => Task.Run(() =>
            {
                together.SignalAndWait();
                connection.Close();
            })));
        }

        kept.Source.GetSnapshot().ShouldBe(new GatedDataSourceSnapshot(1, 1, 0, 1, 0, 0));
    }

    private static Task Do(Action call)
    {
        call();
        return Task.CompletedTask;
    }

    private static async Task<string> EndAsync(Func<Task> call)
    {
        try
        {
            await call().WaitAsync(TestApp.Patience);
            return "nothing";
        }
        catch (InvalidOperationException)
        {
            // ObjectDisposedException is one: which of them depends on what the user disposed before.
            return nameof(InvalidOperationException);
        }
    }

    /// <summary>What a user still has of a connection that is closed.</summary>
    private sealed record Left(DbConnection Connection, DbTransaction Transaction, DbTransaction Ended, DbDataReader Reader, Stream Stream, TextReader Text,
        DbCommand Command, DbBatch Batch)
    {
        public static async Task<Left> BehindAsync(DbDataSource source, bool isText, bool isInTransaction)
        {
            DbConnection connection = await source.OpenConnectionAsync();
            DbTransaction ended = await connection.BeginTransactionAsync();
            await KeptSource.ExecuteAsync(connection, "INSERT INTO t VALUES ('rolled back')", ended);
            await ended.RollbackAsync();
            DbTransaction? transaction = null;
            if (isInTransaction)
            {
                transaction = await connection.BeginTransactionAsync();
                await KeptSource.ExecuteAsync(connection, "INSERT INTO t VALUES ('left open')", transaction);
            }

            await using DbBatch batch = connection.CreateBatch();
            batch.Transaction = transaction;
            DbBatchCommand one = batch.CreateBatchCommand();
            one.CommandText = "SELECT 1";
            batch.BatchCommands.Add(one);
            await batch.ExecuteNonQueryAsync();
            DbBatch second = connection.CreateBatch();
            DbCommand command = KeptSource.Command(connection, "SELECT i, 'secret'::bytea, 'secret'::text FROM generate_series(1, 3) AS i", transaction);
            DbDataReader reader = await command.ExecuteReaderAsync();
            await reader.ReadAsync();

            // Only one of them at a time.
            Stream stream = isText ? Stream.Null : reader.GetStream(1);
            TextReader text = isText ? reader.GetTextReader(2) : TextReader.Null;
            stream.ReadByte();
            await connection.CloseAsync();
            return new Left(connection, transaction ?? ended, ended, reader, stream, text, command, second);
        }
    }
}
