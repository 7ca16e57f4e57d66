using Npgsql;

namespace AdaptivePool.Scenarios.Scenarios.Postgres;

/// <summary>
/// pgbench's TPC-B transaction by Npgsql: BEGIN, five statements one after the other, COMMIT. Statements are not prepared and connections not multiplexed; each transaction takes a
/// connection from the driver's pool (its default FIFO order, up to 1,200) and gives it back, with the driver's default reset.
/// </summary>
public sealed class TpcB(string connectionString) : IAsyncDisposable
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

    private readonly NpgsqlDataSource _source = NpgsqlDataSource.Create(connectionString + ";Maximum Pool Size=1200;Max Auto Prepare=0;Multiplexing=false");

    /// <summary>One transaction, synchronously.</summary>
    public void Run()
    {
        using NpgsqlConnection connection = _source.OpenConnection();
        using NpgsqlTransaction transaction = connection.BeginTransaction();
        foreach (NpgsqlCommand command in Commands(connection))
        {
            using (command)
            {
                command.ExecuteScalar();
            }
        }

        transaction.Commit();
    }

    /// <summary>One transaction, asynchronously.</summary>
    public async Task RunAsync()
    {
        await using NpgsqlConnection connection = await _source.OpenConnectionAsync();
        await using NpgsqlTransaction transaction = await connection.BeginTransactionAsync();
        foreach (NpgsqlCommand command in Commands(connection))
        {
            await using (command)
            {
                await command.ExecuteScalarAsync();
            }
        }

        await transaction.CommitAsync();
    }

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => _source.DisposeAsync();

    private static IEnumerable<NpgsqlCommand> Commands(NpgsqlConnection connection)
    {
        int account = Random.Shared.Next(1, (PostgresCluster.Scale * AccountsPerBranch) + 1);
        int teller = Random.Shared.Next(1, (PostgresCluster.Scale * TellersPerBranch) + 1);
        int branch = Random.Shared.Next(1, PostgresCluster.Scale + 1);
        int delta = Random.Shared.Next(-5_000, 5_001);
        yield return Command(connection, 0, delta, account);
        yield return Command(connection, 1, account);
        yield return Command(connection, 2, delta, teller);
        yield return Command(connection, 3, delta, branch);
        yield return Command(connection, 4, teller, branch, account, delta);
    }

    private static NpgsqlCommand Command(NpgsqlConnection connection, int statement, params ReadOnlySpan<int> values)
    {
        NpgsqlCommand command = new(s_statements[statement], connection);
        foreach (int value in values)
        {
            command.Parameters.Add(new NpgsqlParameter<int> { TypedValue = value });
        }

        return command;
    }
}
