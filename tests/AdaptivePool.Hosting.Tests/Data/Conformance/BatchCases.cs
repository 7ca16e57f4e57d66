using System.Data;
using System.Data.Common;

namespace AdaptivePool.Hosting.Tests.Data.Conformance;

internal static class BatchCases
{
    public static IReadOnlyList<ConformanceCase> All { get; } =
    [
        new("batch: several statements", static async b =>
        {
            await using DbConnection connection = await b.Source.OpenConnectionAsync();
            b.Note(connection.CanCreateBatch);
            await b.TryAsync(async () =>
            {
                await using DbBatch batch = Fill(connection.CreateBatch(), "SELECT 1", "SELECT v FROM t WHERE id = 2", "DELETE FROM t WHERE id = 1");
                await using DbDataReader reader = await batch.ExecuteReaderAsync();
                do
                {
                    while (await reader.ReadAsync())
                    {
                        b.Note(reader.GetValue(0));
                    }
                }
                while (await reader.NextResultAsync());
                await reader.CloseAsync();
                return batch.BatchCommands.Select(static command => command.RecordsAffected);
            });
        }),
        new("batch: each way to run it", static async b =>
        {
            await using DbConnection connection = await b.Source.OpenConnectionAsync();
            b.Try(() =>
            {
                using DbBatch batch = Fill(connection.CreateBatch(), "SELECT 5", "SELECT 6");
                b.Note(batch.Timeout);
                b.Note(ReferenceEquals(batch.Connection, connection));
                b.Note(batch.ExecuteScalar());
                b.Do(batch.Prepare);
                b.Do(batch.Cancel);
                return batch.ExecuteNonQuery();
            });
            await b.TryAsync(async () =>
            {
                await using DbBatch batch = Fill(connection.CreateBatch(), "DELETE FROM t WHERE id = 1", "DELETE FROM t WHERE id = 2");
                await batch.PrepareAsync();
                return await batch.ExecuteNonQueryAsync();
            });
            b.Note(b.Scalar("SELECT COUNT(*) FROM t"));
        }),
        new("batch: in a transaction", static async b =>
        {
            await using DbConnection connection = await b.Source.OpenConnectionAsync();
            await using DbTransaction transaction = await connection.BeginTransactionAsync();
            await b.TryAsync(async () =>
            {
                await using DbBatch batch = Fill(connection.CreateBatch(), "DELETE FROM t");
                batch.Transaction = transaction;
                b.Note(ReferenceEquals(batch.Transaction, transaction));
                return await batch.ExecuteNonQueryAsync();
            });
            await transaction.RollbackAsync();
            b.Note(b.Scalar("SELECT COUNT(*) FROM t"));
        }),
        new("batch: parameters", static async b =>
        {
            await using DbConnection connection = await b.Source.OpenConnectionAsync();
            await b.TryAsync(async () =>
            {
                await using DbBatch batch = Fill(connection.CreateBatch(), "SELECT v FROM t WHERE id = @id");
                DbParameter parameter = batch.BatchCommands[0].CreateParameter();
                parameter.ParameterName = "id";
                parameter.Value = 2;
                batch.BatchCommands[0].Parameters.Add(parameter);
                return await batch.ExecuteScalarAsync();
            });
        }),
        new("batch: disposed, and while closed", static async b =>
        {
            await using DbConnection connection = b.Source.CreateConnection();
            b.Try(() => Fill(connection.CreateBatch(), "SELECT 1").ExecuteScalar());
            await connection.OpenAsync();
            b.Try(() =>
            {
                DbBatch batch = Fill(connection.CreateBatch(), "SELECT 1");
                batch.Dispose();
                b.Do(batch.Dispose);
                return batch.ExecuteScalar();
            });
        }),
        new("batch: an error in it", static async b =>
        {
            await using DbConnection connection = await b.Source.OpenConnectionAsync();
            await b.TryAsync(async () =>
            {
                await using DbBatch batch = Fill(connection.CreateBatch(), "DELETE FROM t", "SELECT * FROM nowhere");
                return await batch.ExecuteNonQueryAsync();
            });
            b.Note(b.Scalar("SELECT COUNT(*) FROM t"));
        }),
    ];

    public static DbBatch Fill(DbBatch batch, params string[] statements)
    {
        foreach (string statement in statements)
        {
            DbBatchCommand command = batch.CreateBatchCommand();
            command.CommandText = statement;
            batch.BatchCommands.Add(command);
        }

        return batch;
    }
}
