using System.Data.Common;
using AdaptivePool.Admission;
using AdaptivePool.Data;
using Dapper;
using Npgsql;

namespace AdaptivePool.Hosting.Tests.Data.Conformance;

/// <summary>What users of Npgsql do that other providers do not know.</summary>
internal static class NpgsqlCases
{
    public static IReadOnlyList<ConformanceCase> All { get; } =
    [
        new("npgsql: dapper with an array", static async b =>
        {
            await using DbConnection connection = await b.Source.OpenConnectionAsync();
            await b.TryAsync(() => connection.QueryAsync<int>("SELECT id FROM t WHERE id = ANY(@ids) ORDER BY id", new { ids = new[] { 1, 3 } }));
        }),
        new("npgsql: a command with an open reader is given its own connection once more", static async b =>
        {
            await using DbConnection connection = await b.Source.OpenConnectionAsync();
            using DbCommand command = b.Command(connection, "SELECT id FROM t ORDER BY id");
            await using DbDataReader reader = await command.ExecuteReaderAsync();
            b.Try(() => reader.Read());
            b.Do(() => command.Connection = connection);
            b.Try(() => reader.Read());
        }),
        new("npgsql: copy right after opening", static async b =>
        {
            await using DbConnection connection = await b.Source.OpenConnectionAsync();
            await b.TryAsync(async () =>
            {
                await using NpgsqlBinaryImporter importer = await Own(connection).BeginBinaryImportAsync("COPY t (id, v) FROM STDIN (FORMAT BINARY)");
                await importer.StartRowAsync();
                await importer.WriteAsync(4);
                await importer.WriteAsync("four");
                return await importer.CompleteAsync();
            });
            await b.TryAsync(async () =>
            {
                using TextReader export = await Own(connection).BeginTextExportAsync("COPY (SELECT v FROM t WHERE id = 4) TO STDOUT");
                return (await export.ReadToEndAsync()).Trim();
            });
        }),
        new("npgsql: copy inside a transaction", static async b =>
        {
            await using DbConnection connection = await b.Source.OpenConnectionAsync();
            await using DbTransaction transaction = await connection.BeginTransactionAsync();
            await using (NpgsqlBinaryImporter importer = await Own(connection).BeginBinaryImportAsync("COPY t (id) FROM STDIN (FORMAT BINARY)"))
            {
                await importer.StartRowAsync();
                await importer.WriteAsync(5);
                await importer.CompleteAsync();
            }

            await transaction.RollbackAsync();
            b.Note(b.Scalar("SELECT COUNT(*) FROM t"));
        }),
        new("npgsql: typed parameters and values", static async b =>
        {
            await using DbConnection connection = await b.Source.OpenConnectionAsync();
            using DbCommand command = b.Command(connection, "SELECT @a, @j::jsonb ->> 'k', ARRAY[1, 2], 'x'::bytea");
            command.Parameters.Add(new NpgsqlParameter<int>("a", 5));
            command.Parameters.Add(new NpgsqlParameter("j", NpgsqlTypes.NpgsqlDbType.Text) { Value = "{\"k\": \"v\"}" });
            await using DbDataReader reader = await command.ExecuteReaderAsync();
            await reader.ReadAsync();
            b.Note(reader.GetInt32(0));
            b.Note(reader.GetString(1));
            b.Note(reader.GetFieldValue<int[]>(2));
            await using Stream stream = reader.GetFieldValue<Stream>(3);
            b.Note(stream.ReadByte());
        }),
        new("npgsql: a statement is cancelled", static async b =>
        {
            await using DbConnection connection = await b.Source.OpenConnectionAsync();
            using var soon = new CancellationTokenSource(TimeSpan.FromMilliseconds(100));
            await b.TryAsync(() => b.Command(connection, "SELECT pg_sleep(60)").ExecuteScalarAsync(soon.Token));
            b.Note(connection.State);
            b.Try(() => b.Command(connection, "SELECT 1").ExecuteScalar());
            using DbCommand command = b.Command(connection, "SELECT pg_sleep(60)");
            Task<object?> running = command.ExecuteScalarAsync();
            for (int i = 0; i < 200 && !running.IsCompleted; i++)
            {
                // Until the server has it.
                command.Cancel();
                await Task.WhenAny(running, Task.Delay(20));
            }

            await b.TryAsync(() => running);
        }),
        new("npgsql: a statement takes too long", static async b =>
        {
            await using DbConnection connection = await b.Source.OpenConnectionAsync();
            using DbCommand command = b.Command(connection, "SELECT pg_sleep(60)");
            command.CommandTimeout = 1;
            await b.TryAsync(() => command.ExecuteScalarAsync());
            b.Note(connection.State);
        }),
        new("npgsql: the server ends the session", static async b =>
        {
            await using DbConnection connection = await b.Source.OpenConnectionAsync();
            connection.StateChange += (_, change) => b.Note($"{change.OriginalState} to {change.CurrentState}");
            b.Note(b.Command(connection, "SELECT 1").ExecuteScalar());
            await b.TryAsync(() => b.Command(connection, "SELECT pg_terminate_backend(pg_backend_pid())").ExecuteScalarAsync());
            b.Note(connection.State);
            b.Try(() => b.Command(connection, "SELECT 1").ExecuteScalar());
            await b.DoAsync(connection.CloseAsync);
            await b.DoAsync(() => connection.OpenAsync());
            b.Try(() => b.Command(connection, "SELECT 1").ExecuteScalar());
        }),
        new("npgsql: types of the provider", static async b =>
        {
            await using DbConnection connection = await b.Source.OpenConnectionAsync();
            await using DbTransaction transaction = await connection.BeginTransactionAsync();
            using DbCommand command = b.Command(connection, "SELECT 1");
            await using DbDataReader reader = await command.ExecuteReaderAsync();
            b.Note($"{connection is NpgsqlConnection}, {transaction is NpgsqlTransaction}, {command is NpgsqlCommand}, {reader is NpgsqlDataReader}");
        }),
    ];

    private static NpgsqlConnection Own(DbConnection connection) => connection as NpgsqlConnection ?? (NpgsqlConnection)((GatedConnection)connection).Inner;
}
