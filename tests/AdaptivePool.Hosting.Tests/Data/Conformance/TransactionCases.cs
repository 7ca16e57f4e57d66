using System.Data;
using System.Data.Common;

namespace AdaptivePool.Hosting.Tests.Data.Conformance;

internal static class TransactionCases
{
    private const string Count = "SELECT COUNT(*) FROM t";

    public static IReadOnlyList<ConformanceCase> All { get; } =
    [
        new("transaction: commit and rollback", static async b =>
        {
            foreach (bool isAsync in new[] { false, true })
            {
                await using DbConnection connection = await b.Source.OpenConnectionAsync();
                await using (DbTransaction rolledBack = await connection.BeginTransactionAsync())
                {
                    await RunAsync(b, connection, rolledBack, "DELETE FROM t");
                    await (isAsync ? rolledBack.RollbackAsync() : Task.Run(rolledBack.Rollback));
                }

                b.Note(b.Scalar(Count));
                await using DbTransaction committed = connection.BeginTransaction();
                await RunAsync(b, connection, committed, isAsync ? "DELETE FROM t WHERE id = 1" : "DELETE FROM t WHERE id = 2");
                await (isAsync ? committed.CommitAsync() : Task.Run(committed.Commit));
                b.Note(b.Scalar(Count));
            }
        }),
        new("transaction: disposed, or its connection closed", static async b =>
        {
            await using DbConnection connection = await b.Source.OpenConnectionAsync();
            await using (DbTransaction disposed = await connection.BeginTransactionAsync())
            {
                await RunAsync(b, connection, disposed, "DELETE FROM t");
            }

            b.Note(b.Scalar(Count));
            DbTransaction left = await connection.BeginTransactionAsync();
            await RunAsync(b, connection, left, "DELETE FROM t");
            await connection.CloseAsync();
            b.Note(b.Scalar(Count));
            b.Try(() => left.Connection is null);
            b.Do(left.Commit);
            b.Do(left.Dispose);
            b.Do(left.Commit);
        }),
        new("transaction: after its end", static async b =>
        {
            await using DbConnection connection = await b.Source.OpenConnectionAsync();
            DbTransaction transaction = await connection.BeginTransactionAsync();
            b.Note(ReferenceEquals(transaction.Connection, connection));
            b.Note(transaction.IsolationLevel == IsolationLevel.Unspecified);
            transaction.Commit();
            b.Do(transaction.Commit);
            await b.DoAsync(() => transaction.RollbackAsync());
            b.Try(() => transaction.IsolationLevel);
            b.Do(() => transaction.Save("s"));
            b.Do(transaction.Dispose);
            b.Do(transaction.Dispose);
            b.Do(transaction.Commit);
        }),
        new("transaction: connection of one that has ended", static async b =>
        {
            await using DbConnection connection = await b.Source.OpenConnectionAsync();
            DbTransaction transaction = await connection.BeginTransactionAsync();
            await transaction.CommitAsync();
            b.Try(() => transaction.Connection is null);
            transaction.Dispose();
            b.Try(() => transaction.Connection is null);
        }),
        new("transaction: an ended one disposed inside the next", static async b =>
        {
            await using DbConnection connection = await b.Source.OpenConnectionAsync();
            DbTransaction first = await connection.BeginTransactionAsync();
            await first.CommitAsync();
            await using DbTransaction second = await connection.BeginTransactionAsync();
            await RunAsync(b, connection, second, "DELETE FROM t");
            b.Do(first.Dispose);
            b.Do(second.Commit);
            b.Note(b.Scalar(Count));
        }),
        new("transaction: a second one on the same connection", static async b =>
        {
            await using DbConnection connection = await b.Source.OpenConnectionAsync();
            await using DbTransaction first = await connection.BeginTransactionAsync();
            b.Try(() => connection.BeginTransaction());
            await b.TryAsync(() => connection.BeginTransactionAsync().AsTask());
        }),
        new("transaction: isolation levels", static async b =>
        {
            foreach (IsolationLevel level in new[] { IsolationLevel.Serializable, IsolationLevel.ReadCommitted, IsolationLevel.RepeatableRead,
                IsolationLevel.Chaos })
            {
                await using DbConnection connection = await b.Source.OpenConnectionAsync();
                await b.TryAsync(async () =>
                {
                    await using DbTransaction transaction = await connection.BeginTransactionAsync(level);
                    return transaction.IsolationLevel;
                });
            }
        }),
        new("transaction: savepoints", static async b =>
        {
            await using DbConnection connection = await b.Source.OpenConnectionAsync();
            await using DbTransaction transaction = await connection.BeginTransactionAsync();
            b.Note(transaction.SupportsSavepoints);
            await RunAsync(b, connection, transaction, "DELETE FROM t WHERE id = 1");
            await b.DoAsync(() => transaction.SaveAsync("one"));
            await RunAsync(b, connection, transaction, "DELETE FROM t");
            await b.DoAsync(() => transaction.RollbackAsync("one"));
            b.Do(() => transaction.Save("two"));
            b.Do(() => transaction.Release("two"));
            b.Do(() => transaction.Rollback("none"));
            b.Do(transaction.Commit);
            b.Note(b.Scalar(Count));
        }),
        new("transaction: a statement without it", static async b =>
        {
            await using DbConnection connection = await b.Source.OpenConnectionAsync();
            using DbCommand before = b.Command(connection, "DELETE FROM t WHERE id = 1");
            await using DbTransaction transaction = await connection.BeginTransactionAsync();
            b.Try(() => before.ExecuteNonQuery());
            using DbCommand inside = b.Command(connection, "DELETE FROM t WHERE id = 2");
            b.Note(inside.Transaction is null);
            b.Try(() => inside.ExecuteNonQuery());
            transaction.Rollback();
            b.Note(b.Scalar(Count));
        }),
        new("transaction: a statement with one that has ended", static async b =>
        {
            await using DbConnection connection = await b.Source.OpenConnectionAsync();
            DbTransaction transaction = await connection.BeginTransactionAsync();
            using DbCommand command = b.Command(connection, "SELECT 1");
            command.Transaction = transaction;
            b.Note(command.ExecuteScalar());
            transaction.Commit();
            b.Try(() => command.ExecuteScalar());
            command.Transaction = null;
            b.Try(() => command.ExecuteScalar());
        }),
        new("transaction: an ended one given to a statement", static async b =>
        {
            await using DbConnection connection = await b.Source.OpenConnectionAsync();
            DbTransaction transaction = await connection.BeginTransactionAsync();
            transaction.Commit();
            using DbCommand command = b.Command(connection, "DELETE FROM t WHERE id = 1");
            b.Do(() => command.Transaction = transaction);
            b.Try(() => command.ExecuteNonQuery());
        }),
        new("transaction: of another connection", static async b =>
        {
            await using DbConnection first = await b.Source.OpenConnectionAsync();
            await using DbConnection second = await b.Source.OpenConnectionAsync();
            await using DbTransaction transaction = await first.BeginTransactionAsync();
            using DbCommand command = b.Command(second, "SELECT 1");
            b.Do(() => command.Transaction = transaction);
            b.Try(() => command.ExecuteScalar());
        }),
        new("transaction: a statement fails inside", static async b =>
        {
            await using DbConnection connection = await b.Source.OpenConnectionAsync();
            await using DbTransaction transaction = await connection.BeginTransactionAsync();
            await b.TryAsync(() => RunAsync(b, connection, transaction, "DELETE FROM nowhere"));
            await b.TryAsync(() => RunAsync(b, connection, transaction, "DELETE FROM t"));
            b.Do(transaction.Commit);
            b.Note(b.Scalar(Count));
        }),
    ];

    private static async Task<int> RunAsync(ConformanceBench b, DbConnection connection, DbTransaction transaction, string sql)
    {
        await using DbCommand command = b.Command(connection, sql);
        command.Transaction = transaction;
        return await command.ExecuteNonQueryAsync();
    }
}
