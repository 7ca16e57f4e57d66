namespace AdaptivePool.Data;

/// <summary>
/// Connections under the name that the provider's have. Libraries such as Dapper and its extensions tell databases apart by the name of the connection's class,
/// and so decide whether an array is one parameter or many, and how to quote.
/// </summary>
internal static class NamedConnections
{
    public static GatedConnection Create(DbConnection own, GatedDataSource source) => own.GetType().Name switch
    {
        nameof(NpgsqlConnection) => new NpgsqlConnection(own, source),
        nameof(SqliteConnection) => new SqliteConnection(own, source),
        nameof(SqlConnection) => new SqlConnection(own, source),
        nameof(MySqlConnection) => new MySqlConnection(own, source),
        nameof(OracleConnection) => new OracleConnection(own, source),
        nameof(FbConnection) => new FbConnection(own, source),
        nameof(ClickHouseConnection) => new ClickHouseConnection(own, source),
        _ => new GatedConnection(own, source),
    };

    private sealed class NpgsqlConnection(DbConnection own, GatedDataSource source) : GatedConnection(own, source);

    private sealed class SqliteConnection(DbConnection own, GatedDataSource source) : GatedConnection(own, source);

    private sealed class SqlConnection(DbConnection own, GatedDataSource source) : GatedConnection(own, source);

    private sealed class MySqlConnection(DbConnection own, GatedDataSource source) : GatedConnection(own, source);

    private sealed class OracleConnection(DbConnection own, GatedDataSource source) : GatedConnection(own, source);

    private sealed class FbConnection(DbConnection own, GatedDataSource source) : GatedConnection(own, source);

    private sealed class ClickHouseConnection(DbConnection own, GatedDataSource source) : GatedConnection(own, source);
}
