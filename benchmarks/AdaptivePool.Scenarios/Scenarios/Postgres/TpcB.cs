using System.Data.Common;
using System.Diagnostics;
using Npgsql;

namespace AdaptivePool.Scenarios.Scenarios.Postgres;

/// <summary>pgbench's TPC-B transaction: BEGIN, five statements one after the other, COMMIT.</summary>
public sealed class TpcB(string connectionString) : Transactions(connectionString)
{
    private const int AccountsPerBranch = 100_000;
    private const int TellersPerBranch = 10;

    private static readonly string[] s_statements =
    [
        "UPDATE pgbench_accounts SET abalance = abalance + $1 WHERE aid = $2",
        "SELECT abalance FROM pgbench_accounts WHERE aid = $1",
        "UPDATE pgbench_tellers SET tbalance = tbalance + $1 WHERE tid = $2",
        "UPDATE pgbench_branches SET bbalance = bbalance + $1 WHERE bid = $2",
        "INSERT INTO pgbench_history (tid, bid, aid, delta, mtime) VALUES ($1, $2, $3, $4, CURRENT_TIMESTAMP)",
    ];

    /// <inheritdoc/>
    public override async Task RunAsync()
    {
        if (Kept is { } kept)
        {
            await using DbConnection gated = await kept.OpenConnectionAsync();
            await using DbTransaction inside = await gated.BeginTransactionAsync();
            long entered = Stopwatch.GetTimestamp();
            await ExecuteAsync(gated);
            await inside.CommitAsync();
            Inside.Add(Stopwatch.GetTimestamp() - entered);
            return;
        }

        await using NpgsqlConnection connection = await Source.OpenConnectionAsync();
        await using NpgsqlTransaction transaction = await connection.BeginTransactionAsync();
        await ExecuteAsync(connection);
        await transaction.CommitAsync();
    }

    private static async Task ExecuteAsync(DbConnection connection)
    {
        foreach (DbCommand command in Commands(connection))
        {
            await using (command)
            {
                await command.ExecuteScalarAsync();
            }
        }
    }

    /// <inheritdoc/>
    protected override void RunOnce()
    {
        using NpgsqlConnection connection = Source.OpenConnection();
        using NpgsqlTransaction transaction = connection.BeginTransaction();
        foreach (DbCommand command in Commands(connection))
        {
            using (command)
            {
                command.ExecuteScalar();
            }
        }

        transaction.Commit();
    }

    private static IEnumerable<DbCommand> Commands(DbConnection connection)
    {
        int account = Random.Shared.Next(1, (PostgresCluster.Scale * AccountsPerBranch) + 1);
        int teller = Random.Shared.Next(1, (PostgresCluster.Scale * TellersPerBranch) + 1);
        int branch = Random.Shared.Next(1, PostgresCluster.Scale + 1);
        int delta = Random.Shared.Next(-5_000, 5_001);
        yield return Command(connection, s_statements[0], delta, account);
        yield return Command(connection, s_statements[1], account);
        yield return Command(connection, s_statements[2], delta, teller);
        yield return Command(connection, s_statements[3], delta, branch);
        yield return Command(connection, s_statements[4], teller, branch, account, delta);
    }
}
