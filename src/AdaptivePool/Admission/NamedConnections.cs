using System.Data.Common;

namespace AdaptivePool.Admission;

/// <summary>
/// Connections under the name that the provider's have. Libraries such as Dapper and its extensions tell databases apart by the name of the connection's class, and so decide whether an array is one parameter or many, and how to quote.
/// </summary>
internal static class NamedConnections
{
    public static GatedConnection Create(DbConnection own, TransactionGate gate, GatedDataSourceOptions options, ConnectionShelf? shelf, GatedProviderFactory factory) => own.GetType().Name switch
    {
        nameof(NpgsqlConnection) => new NpgsqlConnection(own, gate, options, shelf, factory),
        nameof(SqliteConnection) => new SqliteConnection(own, gate, options, shelf, factory),
        nameof(SqlConnection) => new SqlConnection(own, gate, options, shelf, factory),
        nameof(MySqlConnection) => new MySqlConnection(own, gate, options, shelf, factory),
        nameof(OracleConnection) => new OracleConnection(own, gate, options, shelf, factory),
        nameof(FbConnection) => new FbConnection(own, gate, options, shelf, factory),
        nameof(ClickHouseConnection) => new ClickHouseConnection(own, gate, options, shelf, factory),
        _ => new GatedConnection(own, gate, options, shelf, factory),
    };

    private sealed class NpgsqlConnection(DbConnection own, TransactionGate gate, GatedDataSourceOptions options, ConnectionShelf? shelf, GatedProviderFactory factory)
        : GatedConnection(own, gate, options, shelf, factory);

    private sealed class SqliteConnection(DbConnection own, TransactionGate gate, GatedDataSourceOptions options, ConnectionShelf? shelf, GatedProviderFactory factory)
        : GatedConnection(own, gate, options, shelf, factory);

    private sealed class SqlConnection(DbConnection own, TransactionGate gate, GatedDataSourceOptions options, ConnectionShelf? shelf, GatedProviderFactory factory)
        : GatedConnection(own, gate, options, shelf, factory);

    private sealed class MySqlConnection(DbConnection own, TransactionGate gate, GatedDataSourceOptions options, ConnectionShelf? shelf, GatedProviderFactory factory)
        : GatedConnection(own, gate, options, shelf, factory);

    private sealed class OracleConnection(DbConnection own, TransactionGate gate, GatedDataSourceOptions options, ConnectionShelf? shelf, GatedProviderFactory factory)
        : GatedConnection(own, gate, options, shelf, factory);

    private sealed class FbConnection(DbConnection own, TransactionGate gate, GatedDataSourceOptions options, ConnectionShelf? shelf, GatedProviderFactory factory)
        : GatedConnection(own, gate, options, shelf, factory);

    private sealed class ClickHouseConnection(DbConnection own, TransactionGate gate, GatedDataSourceOptions options, ConnectionShelf? shelf, GatedProviderFactory factory)
        : GatedConnection(own, gate, options, shelf, factory);
}
