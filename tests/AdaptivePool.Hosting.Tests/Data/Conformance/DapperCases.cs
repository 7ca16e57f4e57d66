using System.Data.Common;
using Dapper;

namespace AdaptivePool.Hosting.Tests.Data.Conformance;

internal static class DapperCases
{
    public static IReadOnlyList<ConformanceCase> All { get; } =
    [
        new("dapper: queries", static async b =>
        {
            await using DbConnection connection = await b.Source.OpenConnectionAsync();
            b.Note(connection.QuerySingle<string>("SELECT v FROM t WHERE id = @id", new { id = 2 }));
            b.Note(await connection.QueryAsync<long>("SELECT id FROM t ORDER BY id"));
            b.Note(await connection.ExecuteAsync("UPDATE t SET v = @v WHERE id = @id", new[] { new { id = 1, v = "a" }, new { id = 2, v = "b" } }));
            b.Note(connection.Query<string>("SELECT v FROM t ORDER BY id", buffered: false));
            b.Note(connection.Query<string>("SELECT v FROM t ORDER BY id", buffered: false).First());
        }),
        new("dapper: several results", static async b =>
        {
            await using DbConnection connection = await b.Source.OpenConnectionAsync();
            using SqlMapper.GridReader grid = await connection.QueryMultipleAsync("SELECT 1; SELECT 2");
            b.Note(await grid.ReadSingleAsync<long>());
            b.Note(await grid.ReadSingleAsync<long>());
        }),
        new("dapper: opens and closes a closed connection", static async b =>
        {
            await using DbConnection connection = b.Source.CreateConnection();
            b.Note(await connection.QuerySingleAsync<long>("SELECT 5"));
            b.Note(connection.State);
        }),
        new("dapper: in a transaction", static async b =>
        {
            await using DbConnection connection = await b.Source.OpenConnectionAsync();
            await using DbTransaction transaction = await connection.BeginTransactionAsync();
            b.Note(await connection.ExecuteAsync("DELETE FROM t", transaction: transaction));
            await transaction.RollbackAsync();
            b.Note(await connection.ExecuteScalarAsync<long>("SELECT COUNT(*) FROM t"));
        }),
        new("dapper: a list in parentheses", static async b =>
        {
            await using DbConnection connection = await b.Source.OpenConnectionAsync();
            await b.TryAsync(() => connection.ExecuteScalarAsync<long>("SELECT COUNT(*) FROM t WHERE id IN (@a, @b)", new { a = 1, b = 2 }));
        }),
    ];
}
