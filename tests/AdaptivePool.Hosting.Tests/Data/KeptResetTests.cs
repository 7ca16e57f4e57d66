using System.Data.Common;
using AdaptivePool.Admission;
using AdaptivePool.Data;
using AdaptivePool.Hosting.Tests.Samples;
using Npgsql;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Data;

/// <summary>A session that comes back holds nothing up and tells the next user nothing;
/// and the statement that the documents name does that, with whatever Npgsql has prepared.</summary>
[Collection(PostgresServerCollection.Name)]
public sealed class KeptResetTests(PostgresServer server)
{
    private const string Own = "datname = current_database() AND pid <> pg_backend_pid()";

    private static readonly (string Reset, string Text)[] s_openTransactions =
    [
        (GatedDataSourceOptions.PostgreSqlReset, "BEGIN; LOCK TABLE t"),
        (GatedDataSourceOptions.PostgreSqlReset, "/* in a comment */ START TRANSACTION; LOCK TABLE t"),
        (GatedDataSourceOptions.PostgreSqlReset, "BEGIN; LOCK TABLE t; SELECT 1 / 0"),
        ("DISCARD ALL", "BEGIN; LOCK TABLE t"),
        ("RESET ALL", "BEGIN; LOCK TABLE t"),
        ("", "BEGIN; LOCK TABLE t"),
    ];

    /// <summary>Their locks stayed until the next use; with a reset that is legal inside a transaction what the next user wrote was lost.</summary>
    [PostgresFact]
    public async Task Transaction_BegunBySqlText_EndsWithItsConnection()
    {
        await using PostgresDatabase database = await server.CreateDatabaseAsync();
        await database.ExecuteAsync("CREATE TABLE t (v text)");
        foreach ((string reset, string text) in s_openTransactions)
        {
            await using var kept = new KeptSource(database, reset: reset);
            await using (DbConnection connection = await kept.Source.OpenConnectionAsync())
            {
                try
                {
                    await KeptSource.ExecuteAsync(connection, text);
                }
                catch (PostgresException)
                {
                    // On the way to COMMIT.
                }
            }

            await database.WaitForAsync($"pg_stat_activity WHERE {Own} AND state LIKE 'idle in transaction%'", 0);
            await database.ExecuteAsync("SET lock_timeout = '10s'; TRUNCATE t");
            await using DbConnection next = await kept.Source.OpenConnectionAsync();
            await KeptSource.ExecuteAsync(next, "INSERT INTO t VALUES ('next')");
            (await database.CountAsync("t")).ShouldBe(1, $"it has committed by itself: {reset}, {text}");
        }
    }

    [PostgresFact]
    public async Task Transaction_BegunByABatchOrByInner_EndsWithItsConnection()
    {
        await using PostgresDatabase database = await server.CreateDatabaseAsync();
        await using var kept = new KeptSource(database, reset: "");
        await using (DbConnection connection = await kept.Source.OpenConnectionAsync())
        {
            await using DbBatch batch = connection.CreateBatch();
            DbBatchCommand begin = batch.CreateBatchCommand();
            begin.CommandText = "BEGIN";
            batch.BatchCommands.Add(begin);
            await batch.ExecuteNonQueryAsync();
        }

        await using (DbConnection connection = await kept.Source.OpenConnectionAsync())
        {
            await KeptSource.ExecuteAsync(((GatedConnection)connection).Inner, "BEGIN");
        }

        await database.WaitForAsync($"pg_stat_activity WHERE {Own} AND state LIKE 'idle in transaction%'", 0);
        kept.Source.GetSnapshot().ShouldBe(new GatedDataSourceSnapshot(0, 0, 0, 2, 2, 0));
    }

    /// <summary>A transaction of SQL text that has ended costs the session nothing.</summary>
    [PostgresFact]
    public async Task Transaction_BegunAndEndedBySqlText_LeavesTheSessionToOthers()
    {
        await using PostgresDatabase database = await server.CreateDatabaseAsync();
        await using var kept = new KeptSource(database);
        object? first = null;
        for (int i = 0; i < 3; i++)
        {
            await using DbConnection connection = await kept.Source.OpenConnectionAsync();
            await KeptSource.ExecuteAsync(connection, "BEGIN");
            object? backend = await KeptSource.ScalarAsync(connection, "SELECT pg_backend_pid()");
            await KeptSource.ExecuteAsync(connection, "COMMIT");
            (first ??= backend).ShouldBe(backend);
        }

        kept.Source.GetSnapshot().Discarded.ShouldBe(0);
    }

    private static readonly (string Name, string Leave, string Look, object Nothing)[] s_traces =
    [
        ("a setting", "SET application_name = 'left'", "SHOW application_name", ""),
        ("a role", "CREATE ROLE left_role; SET ROLE left_role", "SELECT current_user::text", "postgres"),
        ("another user", "CREATE ROLE left_user; SET SESSION AUTHORIZATION left_user", "SELECT session_user::text", "postgres"),
        ("a temporary table", "CREATE TEMP TABLE left_table (v int)", "SELECT COUNT(*) FROM pg_class WHERE relname = 'left_table'", 0L),
        ("a session lock", "SELECT pg_advisory_lock(7)", "SELECT COUNT(*) FROM pg_locks WHERE locktype = 'advisory'", 0L),
        ("a cursor", "DECLARE left_cursor CURSOR WITH HOLD FOR SELECT 1", "SELECT COUNT(*) FROM pg_cursors WHERE name = 'left_cursor'", 0L),
        ("a channel", "LISTEN left_channel", "SELECT COUNT(*) FROM pg_listening_channels()", 0L),
        ("a sequence", "CREATE SEQUENCE left_sequence; SELECT nextval('left_sequence')", "SELECT last_value FROM left_sequence", 1L),
    ];

    [PostgresFact]
    public async Task Session_OfOneUser_ShowsTheNextNothingOfIt()
    {
        await using PostgresDatabase database = await server.CreateDatabaseAsync();
        await using var kept = new KeptSource(database);
        try
        {
            object? backend = await kept.UseAsync("SELECT pg_backend_pid()");
            foreach ((string name, string leave, string look, object nothing) in s_traces)
            {
                await using (DbConnection connection = await kept.Source.OpenConnectionAsync())
                {
                    await KeptSource.ExecuteAsync(connection, leave);
                }

                // Before anybody asks for the connection again: a lock that waits there for the next use holds others up.
                (await database.CountAsync("pg_locks WHERE locktype = 'advisory'")).ShouldBe(0);
                (await kept.UseAsync(look)).ShouldBe(nothing, name);
            }

            (await kept.UseAsync("SELECT pg_backend_pid()")).ShouldBe(backend);
            (await Should.ThrowAsync<PostgresException>(() => kept.UseAsync("SELECT lastval()"))).SqlState.ShouldBe(
                PostgresErrorCodes.ObjectNotInPrerequisiteState);
        }
        finally
        {
            await database.ExecuteAsync("DROP ROLE IF EXISTS left_role; DROP ROLE IF EXISTS left_user");
        }
    }

    /// <summary>With DISCARD ALL five of six uses failed: the driver went on using what the server had forgotten.</summary>
    [PostgresTheory]
    [InlineData("")]
    [InlineData("Max Auto Prepare=2;Auto Prepare Min Usages=2")]
    [InlineData("Max Auto Prepare=20;Auto Prepare Min Usages=2")]
    public async Task Statements_ThatAreReused_WorkInEachUse(string settings)
    {
        await using PostgresDatabase database = await server.CreateDatabaseAsync();
        await using var kept = new KeptSource(database, settings: settings);
        for (int use = 0; use < 12; use++)
        {
            await using DbConnection connection = await kept.Source.OpenConnectionAsync();
            await using DbTransaction transaction = await connection.BeginTransactionAsync();
            for (int i = 0; i < 3; i++)
            {
                await using DbCommand command = KeptSource.Command(connection, $"SELECT {use % 4} + @p", transaction);
                command.Parameters.Add(new NpgsqlParameter<int>("p", i));
                if (use % 2 == 0)
                {
                    await command.PrepareAsync();
                }

                (await command.ExecuteScalarAsync()).ShouldBe((use % 4) + i);
            }

            await transaction.CommitAsync();
        }

        kept.Source.GetSnapshot().ShouldBe(new GatedDataSourceSnapshot(1, 1, 0, 1, 0, 0));
    }
}
