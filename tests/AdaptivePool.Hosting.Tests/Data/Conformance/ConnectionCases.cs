using System.Data;
using System.Data.Common;

namespace AdaptivePool.Hosting.Tests.Data.Conformance;

internal static class ConnectionCases
{
    public static IReadOnlyList<ConformanceCase> All { get; } =
    [
        new("connection: state through its life", static async b =>
        {
            DbConnection connection = b.Source.CreateConnection();
            b.Note(connection.State);
            connection.Open();
            b.Note(connection.State);
            connection.Close();
            b.Note(connection.State);
            await connection.OpenAsync();
            b.Note(connection.State);
            await connection.DisposeAsync();
            b.Note(connection.State);
        }),
        new("connection: events of its state", static async b =>
        {
            await using DbConnection connection = b.Source.CreateConnection();
            connection.StateChange += (_, change) => b.Note($"{change.OriginalState} to {change.CurrentState}");
            await connection.OpenAsync();
            b.Note(await b.Command(connection, "SELECT 1").ExecuteScalarAsync());
            await connection.CloseAsync();
            await connection.CloseAsync();
            connection.Open();
            connection.Dispose();
            connection.Dispose();
        }),
        new("connection: opened twice", static async b =>
        {
            await using DbConnection connection = await b.Source.OpenConnectionAsync();
            b.Do(connection.Open);
            await b.DoAsync(() => connection.OpenAsync());
        }),
        new("connection: opened with a cancelled token", static async b =>
        {
            await using DbConnection connection = b.Source.CreateConnection();
            await b.DoAsync(() => connection.OpenAsync(new CancellationToken(canceled: true)));
            b.Note(connection.State);
        }),
        new("connection: closed twice", static async b =>
        {
            await using DbConnection connection = await b.Source.OpenConnectionAsync();
            b.Do(connection.Close);
            b.Do(connection.Close);
            await b.DoAsync(connection.CloseAsync);
        }),
        new("connection: used while closed", static async b =>
        {
            await using DbConnection connection = b.Source.CreateConnection();
            b.Try(() => b.Command(connection, "SELECT 1").ExecuteScalar());
            await b.TryAsync(() => b.Command(connection, "SELECT 1").ExecuteReaderAsync());
            b.Try(() => connection.BeginTransaction());
            await b.TryAsync(() => connection.BeginTransactionAsync().AsTask());
            b.Try(() => connection.ServerVersion);
            b.Do(() => connection.ChangeDatabase("other"));
        }),
        new("connection: opened again after dispose", static async b =>
        {
            DbConnection connection = b.Source.CreateConnection();
            connection.Dispose();
            b.Do(connection.Open);
            await b.DoAsync(() => connection.OpenAsync());
            connection.Dispose();
        }),
        new("connection: what it says of itself", static async b =>
        {
            await using DbConnection connection = await b.Source.OpenConnectionAsync();
            b.Note(connection.Database);
            b.Note(connection.DataSource);
            b.Note(connection.ConnectionTimeout);
            b.Note(connection.ServerVersion.Length > 0);
            b.Note(connection.CanCreateBatch);
            b.Note(connection.GetType().Name);
        }),
        new("connection: its string, open and closed", static async b =>
        {
            await using DbConnection connection = b.Source.CreateConnection();
            string closed = connection.ConnectionString;
            await connection.OpenAsync();
            b.Note(connection.ConnectionString == closed);
            b.Do(() => connection.ConnectionString = closed);
            await connection.CloseAsync();
            b.Do(() => connection.ConnectionString = closed);
        }),
        new("connection: schema", static async b =>
        {
            await using DbConnection connection = await b.Source.OpenConnectionAsync();
            b.Try(() => connection.GetSchema().Rows.Count);
            b.Try(() => connection.GetSchema("MetaDataCollections").Rows.Count);
            b.Try(() => connection.GetSchema("Nonsense").Rows.Count);
            b.Try(() => connection.GetSchema("Tables", [null, null, "t"]).Rows.Count);
            await b.TryAsync(async () => (await connection.GetSchemaAsync()).Rows.Count);
            await b.TryAsync(async () => (await connection.GetSchemaAsync("ReservedWords")).Rows.Count);
            await b.TryAsync(async () => (await connection.GetSchemaAsync("Tables", [null, null, "t"])).Rows.Count);
        }),
        new("connection: schema while closed", static async b =>
        {
            await using DbConnection connection = b.Source.CreateConnection();
            b.Try(() => connection.GetSchema().Rows.Count);
            await b.TryAsync(async () => (await connection.GetSchemaAsync("MetaDataCollections")).Rows.Count);
        }),
        new("connection: enlisted in nothing", static async b =>
        {
            await using DbConnection connection = await b.Source.OpenConnectionAsync();
            b.Do(() => connection.EnlistTransaction(null));
            b.Try(() => b.Command(connection, "SELECT 2").ExecuteScalar());
        }),
        new("connection: enlisted in a transaction", static async b =>
        {
            foreach (bool commits in new[] { false, true })
            {
                using var transaction = new System.Transactions.CommittableTransaction();
                await using DbConnection connection = await b.Source.OpenConnectionAsync();
                b.Do(() => connection.EnlistTransaction(transaction));
                await b.TryAsync(() => b.Command(connection, "DELETE FROM t WHERE id = 1").ExecuteNonQueryAsync());
                await connection.CloseAsync();
                b.Do(commits ? transaction.Commit : transaction.Rollback);
                b.Note(b.Scalar("SELECT COUNT(*) FROM t"));
            }
        }),
        new("connection: inside a scope", static async b =>
        {
            foreach (bool completes in new[] { false, true })
            {
                try
                {
                    using var scope = new System.Transactions.TransactionScope(System.Transactions.TransactionScopeAsyncFlowOption.Enabled);
                    await using DbConnection connection = await b.Source.OpenConnectionAsync();
                    b.Note(await b.Command(connection, "DELETE FROM t WHERE id = 2").ExecuteNonQueryAsync());
                    if (completes)
                    {
                        scope.Complete();
                    }
                }
                catch (Exception exception)
                {
                    b.Note(exception.GetType().Name);
                }

                b.Note(b.Scalar("SELECT COUNT(*) FROM t"));
            }
        }),
        new("connection: closed with an open reader", static async b =>
        {
            DbConnection connection = await b.Source.OpenConnectionAsync();
            DbDataReader reader = await b.Command(connection, "SELECT id FROM t ORDER BY id").ExecuteReaderAsync();
            b.Note(reader.Read());
            await connection.CloseAsync();
            b.Note(reader.IsClosed);
            b.Try(() => reader.Read());
            b.Do(reader.Dispose);
            b.Do(connection.Dispose);
        }),
    ];
}
