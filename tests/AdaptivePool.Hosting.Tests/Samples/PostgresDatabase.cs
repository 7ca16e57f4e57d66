using System.Diagnostics;
using Npgsql;
using Shouldly;

namespace AdaptivePool.Hosting.Tests.Samples;

/// <summary>A database of one test, and what the test sees in it behind the bank's back.</summary>
internal sealed class PostgresDatabase(NpgsqlDataSource admin, string name, string connectionString) : IAsyncDisposable
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan s_poll = TimeSpan.FromMilliseconds(10);

    public NpgsqlDataSource Source { get; } = NpgsqlDataSource.Create(connectionString);

    public string ConnectionString => connectionString;

    public async ValueTask DisposeAsync()
    {
        await Source.DisposeAsync();
        await using (NpgsqlCommand drop = admin.CreateCommand($"DROP DATABASE {name} WITH (FORCE)"))
        {
            await drop.ExecuteNonQueryAsync();
        }

        await admin.DisposeAsync();
    }

    /// <summary>After the server was restarted: what the drivers' pools hold is dead.</summary>
    public void ForgetConnections()
    {
        admin.Clear();
        Source.Clear();
    }

    public async Task ExecuteAsync(string sql)
    {
        await using NpgsqlCommand command = Source.CreateCommand(sql);
        await command.ExecuteNonQueryAsync();
    }

    public async Task<long> CountAsync(string sql)
    {
        await using NpgsqlCommand command = Source.CreateCommand($"SELECT COUNT(*) FROM {sql}");
        return (long)(await command.ExecuteScalarAsync())!;
    }

    /// <summary>Waits until so many sessions wait for a lock that another one holds.</summary>
    public Task WaitForBlockedAsync(int sessions)
        => WaitForAsync("pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'", sessions);

    /// <summary>Waits until as many rows as expected are there: the database tells nobody when they appear.</summary>
    public async Task WaitForAsync(string sql, long expected)
    {
        long begin = Stopwatch.GetTimestamp();
        long count;
        while ((count = await CountAsync(sql)) != expected && Stopwatch.GetElapsedTime(begin) < s_patience)
        {
            await Task.Delay(s_poll);
        }

        count.ShouldBe(expected, sql);
    }

    /// <summary>Ends sessions of this database at random, until it is told to stop.</summary>
    /// <param name="share">Probability for each session at each look.</param>
    /// <param name="onlyInTransaction">Whether only sessions are ended that wait inside a transaction.</param>
    /// <param name="pause">Time between two looks.</param>
    /// <param name="look">Called after each look.</param>
    /// <param name="stop">The end.</param>
    public Task KillAtRandomAsync(double share, bool onlyInTransaction, TimeSpan pause, Action look, CancellationToken stop) =>
        RandomKills.RunAsync(connectionString, share, onlyInTransaction ? "state = 'idle in transaction'" : "true", pause, look, stop);

    /// <summary>No account may differ from what the recorded transfers say: a half transfer would show, and so would one made twice.</summary>
    public async Task ShouldBalanceAsync()
    {
        (await CountAsync("""
            bank.accounts LEFT JOIN (
                SELECT account, SUM(change) AS change
                FROM (SELECT to_account AS account, amount AS change FROM bank.transfers UNION ALL SELECT from_account, -amount FROM bank.transfers) AS entries
                GROUP BY account) AS booked ON account = id
            WHERE balance <> 1000000 + COALESCE(change, 0)
            """)).ShouldBe(0);
        (await CountAsync("(SELECT SUM(balance) AS sum FROM bank.accounts) AS total WHERE sum = 10000000000")).ShouldBe(1);
    }
}
