using System.Globalization;
using Npgsql;

namespace AdaptivePool.Scenarios.Scenarios.Postgres;

/// <summary>
/// The transaction of sysbench's oltp_read_write with its default counts: ten point selects, one range of 100 rows read in four ways (plain, summed, ordered,
/// distinct), an update of an indexed and of a plain column, a delete and an insert of the same row. Ten tables as in the founding document, with
/// 20,000 rows each instead of a million, rows chosen evenly.
/// </summary>
public sealed class ReadWrite(string connectionString) : Transactions(connectionString)
{
    private const int Tables = 10;
    private const int Rows = 20_000;
    private const int PointSelects = 10;
    private const int RangeSize = 100;

    private static readonly Statements[] s_statements = [.. Enumerable.Range(1, Tables).Select(static n => new Statements($"sbtest{n}"))];

    /// <summary>Creates and fills the tables.</summary>
    public static string Schema { get; } = string.Join(
        '\n',
        Enumerable.Range(1, Tables).Select(static n => string.Create(
            CultureInfo.InvariantCulture,
            $"""
            CREATE TABLE sbtest{n} (id int PRIMARY KEY, k int NOT NULL, c char(120) NOT NULL, pad char(60) NOT NULL);
            INSERT INTO sbtest{n} SELECT i, 1 + (i::bigint * 7919 % {Rows}), md5(i::text) || md5((i + 1)::text), md5((i + 2)::text) FROM generate_series(1, {Rows}) i;
            CREATE INDEX ON sbtest{n} (k);
            """)));

    /// <summary>Brings the tables into the same state before each round.</summary>
    public static string Reset { get; } = string.Join('\n', Enumerable.Range(1, Tables).Select(static n => $"VACUUM ANALYZE sbtest{n};"));

    /// <inheritdoc/>
    protected override void RunOnce()
    {
        Statements s = s_statements[Random.Shared.Next(Tables)];
        using NpgsqlConnection connection = Source.OpenConnection();
        using NpgsqlTransaction transaction = connection.BeginTransaction();
        for (int i = 0; i < PointSelects; i++)
        {
            Query(connection, s.Point, Row());
        }

        foreach (string range in s.Ranges)
        {
            int first = Row();
            ReadAll(connection, range, first, first + RangeSize - 1);
        }

        Query(connection, s.UpdateIndexed, Row());
        Query(connection, s.UpdatePlain, Row(), Row());
        int replaced = Row();
        Query(connection, s.Delete, replaced);
        Query(connection, s.Insert, replaced, Row());
        transaction.Commit();
    }

    private static int Row() => Random.Shared.Next(1, Rows + 1);

    private sealed class Statements(string table)
    {
        public string Point { get; } = $"SELECT c FROM {table} WHERE id = $1";

        public string[] Ranges { get; } =
        [
            $"SELECT c FROM {table} WHERE id BETWEEN $1 AND $2",
            $"SELECT SUM(k) FROM {table} WHERE id BETWEEN $1 AND $2",
            $"SELECT c FROM {table} WHERE id BETWEEN $1 AND $2 ORDER BY c",
            $"SELECT DISTINCT c FROM {table} WHERE id BETWEEN $1 AND $2 ORDER BY c",
        ];

        public string UpdateIndexed { get; } = $"UPDATE {table} SET k = k + 1 WHERE id = $1";

        public string UpdatePlain { get; } = $"UPDATE {table} SET c = md5($2::text) || md5($1::text) WHERE id = $1";

        public string Delete { get; } = $"DELETE FROM {table} WHERE id = $1";

        public string Insert { get; } = $"INSERT INTO {table} (id, k, c, pad) VALUES ($1, $2, md5($1::text), md5($2::text))";
    }
}
