using System.Data;
using System.Data.Common;

namespace AdaptivePool.Hosting.Tests.Data.Conformance;

internal static class FactoryCases
{
    public static IReadOnlyList<ConformanceCase> All { get; } =
    [
        new("factory: what it makes", static async b =>
        {
            await using DbConnection connection = await b.Source.OpenConnectionAsync();
            DbProviderFactory factory = DbProviderFactories.GetFactory(connection)!;
            b.Note(factory is null);
            using DbCommand command = factory!.CreateCommand()!;
            command.Connection = connection;
            command.CommandText = "SELECT v FROM t WHERE id = @id";
            DbParameter parameter = factory.CreateParameter()!;
            parameter.ParameterName = "@id";
            parameter.Value = 2;
            command.Parameters.Add(parameter);
            b.Try(() => command.ExecuteScalar());
            b.Note(factory.CreateConnectionStringBuilder()?.GetType().Name);
            b.Note(factory.CanCreateBatch);
            b.Note(factory.CanCreateDataSourceEnumerator);
        }),
        new("factory: an adapter fills a table", static async b =>
        {
            await using DbConnection connection = await b.Source.OpenConnectionAsync();
            DbDataAdapter? adapter = DbProviderFactories.GetFactory(connection)!.CreateDataAdapter();
            b.Note(adapter is null);
            if (adapter is not null)
            {
                adapter.SelectCommand = b.Command(connection, "SELECT id, v FROM t ORDER BY id");
                using var table = new DataTable();
                b.Try(() => adapter.Fill(table));
                b.Note(table.Rows.Count);
            }
        }),
        new("factory: a command builder", static async b =>
        {
            await using DbConnection connection = await b.Source.OpenConnectionAsync();
            b.Note(DbProviderFactories.GetFactory(connection)!.CanCreateCommandBuilder);
        }),
        new("factory: a connection", static b =>
        {
            DbProviderFactory factory;
            using (DbConnection connection = b.Source.CreateConnection())
            {
                factory = DbProviderFactories.GetFactory(connection)!;
                using DbConnection made = factory.CreateConnection()!;
                b.Note(made.GetType().Name == connection.GetType().Name);
                b.Note(made.State);
            }

            return Task.CompletedTask;
        }),
    ];
}
