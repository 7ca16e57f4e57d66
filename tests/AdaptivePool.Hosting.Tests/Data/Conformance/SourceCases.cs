using System.Data.Common;

namespace AdaptivePool.Hosting.Tests.Data.Conformance;

/// <summary>Commands and batches of a source itself: each run of one is a connection of its own.</summary>
internal static class SourceCases
{
    public static IReadOnlyList<ConformanceCase> All { get; } =
    [
        new("source: a command", static async b =>
        {
            await using (DbCommand command = b.Source.CreateCommand("SELECT v FROM t WHERE id = 2"))
            {
                b.Note(await command.ExecuteScalarAsync());
                await using DbDataReader reader = await command.ExecuteReaderAsync();
                b.Note(await reader.ReadAsync());
            }

            b.Note(b.Scalar("SELECT COUNT(*) FROM t"));
        }),
        new("source: a command, what belongs to connections", static async b =>
        {
            await using DbCommand command = b.Source.CreateCommand("SELECT 1");
            b.Try(() => command.Connection is null);
            b.Do(() => command.Connection = null);
            b.Try(() => command.Transaction is null);
            b.Do(() => command.Transaction = null);
            b.Do(command.Prepare);
            await b.DoAsync(() => command.PrepareAsync());
        }),
        new("source: a command that fails, and one that is disposed", static async b =>
        {
            DbCommand command = b.Source.CreateCommand("SELECT * FROM nowhere");
            await b.TryAsync(() => command.ExecuteReaderAsync());
            b.Try(() => command.ExecuteScalar());
            command.CommandText = "SELECT 8";
            b.Try(() => command.ExecuteScalar());
            command.Dispose();
            b.Do(command.Dispose);
            await b.TryAsync(() => command.ExecuteScalarAsync());
        }),
        new("source: a batch", static async b => await b.TryAsync(async () =>
        {
            await using DbBatch batch = BatchCases.Fill(b.Source.CreateBatch(), "SELECT 7");
            return await batch.ExecuteScalarAsync();
        })),
        new("source: a batch, each way to run it", static async b => await b.TryAsync(async () =>
        {
            await using DbBatch batch = BatchCases.Fill(b.Source.CreateBatch(), "SELECT v FROM t WHERE id = 1", "SELECT v FROM t WHERE id = 2");
            b.Note(batch.ExecuteScalar());
            b.Note(await batch.ExecuteScalarAsync());
            await using (DbDataReader reader = batch.ExecuteReader())
            {
                do
                {
                    while (reader.Read())
                    {
                        b.Note(reader.GetString(0));
                    }
                }
                while (reader.NextResult());
            }

            await using (DbDataReader reader = await batch.ExecuteReaderAsync())
            {
                b.Note(await reader.ReadAsync());
            }

            batch.BatchCommands.Clear();
            BatchCases.Fill(batch, "DELETE FROM t WHERE id = 1", "DELETE FROM t WHERE id = 2");
            b.Note(batch.ExecuteNonQuery());
            b.Note(await batch.ExecuteNonQueryAsync());
            return b.Scalar("SELECT COUNT(*) FROM t");
        })),
        new("source: a batch, what belongs to connections", static async b => await b.TryAsync(async () =>
        {
            await using DbBatch batch = BatchCases.Fill(b.Source.CreateBatch(), "SELECT 7");
            b.Try(() => batch.Connection is null);
            b.Do(() => batch.Connection = null);
            b.Try(() => batch.Transaction is null);
            b.Do(() => batch.Transaction = null);
            b.Do(batch.Prepare);
            await b.DoAsync(() => batch.PrepareAsync());
            b.Do(batch.Cancel);
            b.Note(batch.Timeout);
            batch.Timeout = 9;
            return batch.Timeout;
        })),
        new("source: a batch, parameters and rows affected", static async b => await b.TryAsync(async () =>
        {
            await using DbBatch batch = BatchCases.Fill(b.Source.CreateBatch(), "DELETE FROM t WHERE id > @id", "SELECT COUNT(*) FROM t");
            DbParameter parameter = batch.BatchCommands[0].CreateParameter();
            parameter.ParameterName = "id";
            parameter.Value = 1;
            batch.BatchCommands[0].Parameters.Add(parameter);
            b.Note(await batch.ExecuteScalarAsync());
            return batch.BatchCommands[0].RecordsAffected;
        })),
        new("source: a batch that fails", static async b => await b.TryAsync(async () =>
        {
            await using DbBatch batch = BatchCases.Fill(b.Source.CreateBatch(), "DELETE FROM t", "SELECT * FROM nowhere");
            await b.TryAsync(() => batch.ExecuteReaderAsync());
            b.Try(() => batch.ExecuteNonQuery());
            await b.TryAsync(() => batch.ExecuteScalarAsync(new CancellationToken(canceled: true)));
            batch.BatchCommands.Clear();
            b.Try(() => batch.ExecuteNonQuery());
            BatchCases.Fill(batch, "SELECT COUNT(*) FROM t");
            return batch.ExecuteScalar();
        })),
        new("source: a batch inside its own reader", static async b => await b.TryAsync(async () =>
        {
            await using DbBatch batch = BatchCases.Fill(b.Source.CreateBatch(), "SELECT id FROM t ORDER BY id");
            await using DbDataReader reader = await batch.ExecuteReaderAsync();
            b.Note(await reader.ReadAsync());
            b.Try(() => batch.ExecuteScalar());
            return await reader.ReadAsync();
        })),
        new("source: a batch that is disposed", static async b => await b.TryAsync(async () =>
        {
            DbBatch batch = BatchCases.Fill(b.Source.CreateBatch(), "SELECT 1");
            batch.Dispose();
            b.Do(batch.Dispose);
            await b.DoAsync(() => batch.DisposeAsync().AsTask());
            return await batch.ExecuteScalarAsync();
        })),
        new("source: a reader outlives its command and its batch", static async b =>
        {
            DbCommand command = b.Source.CreateCommand("SELECT id FROM t ORDER BY id");
            DbDataReader reader = await command.ExecuteReaderAsync();
            await b.DoAsync(() => command.DisposeAsync().AsTask());
            b.Try(() => reader.Read());
            b.Note(reader.IsClosed);
            await b.DoAsync(() => reader.DisposeAsync().AsTask());
            await b.TryAsync(async () =>
            {
                DbBatch batch = BatchCases.Fill(b.Source.CreateBatch(), "SELECT id FROM t ORDER BY id");
                DbDataReader rows = await batch.ExecuteReaderAsync();
                batch.Dispose();
                b.Try(() => rows.Read());
                b.Note(rows.IsClosed);
                await rows.DisposeAsync();
                return "end";
            });
        }),
    ];
}
