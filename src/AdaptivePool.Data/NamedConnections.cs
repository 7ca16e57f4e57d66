using System.Data.Common;

namespace AdaptivePool.Data;

/// <summary>
/// Connections under the name that the provider's have. Libraries such as Dapper and its extensions tell databases apart by the name of the connection's class,
/// and so decide whether an array is one parameter or many, and how to quote.
/// </summary>
internal static class NamedConnections
{
    public static GatedConnection Create(DbConnection own, ConnectionOrigin origin) => own.GetType().Name switch
    {
        nameof(NpgsqlConnection) => new NpgsqlConnection(own, origin),
        nameof(SqliteConnection) => new SqliteConnection(own, origin),
        nameof(SqlConnection) => new SqlConnection(own, origin),
        nameof(MySqlConnection) => new MySqlConnection(own, origin),
        nameof(OracleConnection) => new OracleConnection(own, origin),
        nameof(FbConnection) => new FbConnection(own, origin),
        nameof(ClickHouseConnection) => new ClickHouseConnection(own, origin),
        _ => new GatedConnection(own, origin),
    };

    private sealed class NpgsqlConnection(DbConnection own, ConnectionOrigin origin) : GatedConnection(own, origin);

    private sealed class SqliteConnection(DbConnection own, ConnectionOrigin origin) : GatedConnection(own, origin);

    private sealed class SqlConnection(DbConnection own, ConnectionOrigin origin) : GatedConnection(own, origin);

    private sealed class MySqlConnection(DbConnection own, ConnectionOrigin origin) : GatedConnection(own, origin);

    private sealed class OracleConnection(DbConnection own, ConnectionOrigin origin) : GatedConnection(own, origin);

    private sealed class FbConnection(DbConnection own, ConnectionOrigin origin) : GatedConnection(own, origin);

    private sealed class ClickHouseConnection(DbConnection own, ConnectionOrigin origin) : GatedConnection(own, origin);
}
