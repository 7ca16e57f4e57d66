using AdaptivePool.Scenarios.Harness;
using Npgsql;

namespace AdaptivePool.Scenarios.Scenarios.Postgres;

/// <summary>A cluster for a whole run, brought back to the same state before every round.</summary>
public sealed class PostgresEnvironment : ScenarioEnvironment
{
    /// <summary>Name of the setting with the connection string.</summary>
    public const string ConnectionSetting = "postgres";

    private static readonly TimeSpan s_quietLimit = TimeSpan.FromSeconds(30);
    private readonly PostgresCluster _cluster;
    private readonly HashSet<Workload> _filled = [Workload.TpcB];

    private PostgresEnvironment(PostgresCluster cluster)
    {
        _cluster = cluster;
        Settings[ConnectionSetting] = cluster.ConnectionString;
    }

    /// <summary>Starts the cluster.</summary>
    public static async Task<PostgresEnvironment> StartAsync(Action<string> say, CancellationToken cancellationToken)
    {
        say($"postgres: creating a cluster of its own, pgbench scale {PostgresCluster.Scale} ...");
        return new PostgresEnvironment(await PostgresCluster.StartAsync(cancellationToken));
    }

    /// <summary>Core of the server in remote cases; the clients have core 0 (see the case).</summary>
    private const string ServerCore = "1";

    /// <summary>Waits until the clients of the round before are gone, then empties the history, vacuums the hot tables and checkpoints.</summary>
    public override async Task BeforeRoundAsync(ScenarioCase scenarioCase, CancellationToken cancellationToken)
    {
        await using NpgsqlConnection connection = await OpenAsync(cancellationToken);
        using PeriodicTimer timer = new(TimeSpan.FromMilliseconds(100));
        using CancellationTokenSource limit = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        limit.CancelAfter(s_quietLimit);
        while (await CountOthersAsync(connection, limit.Token) > 0)
        {
            await timer.WaitForNextTickAsync(limit.Token);
        }

        Workload workload = PostgresCases.WorkloadOf(scenarioCase.Name);
        if (_filled.Add(workload))
        {
            await ExecuteAsync(connection, workload == Workload.ReadWrite ? ReadWrite.Schema : TpcC.Schema, cancellationToken);
        }

        if (workload != Workload.TpcB)
        {
            foreach (string statement in (workload == Workload.ReadWrite ? ReadWrite.Reset : TpcC.Reset)
                .Split(';', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries))
            {
                await ExecuteAsync(connection, statement, cancellationToken);
            }
        }

        await ExecuteAsync(connection, "TRUNCATE pgbench_history", cancellationToken);
        await ExecuteAsync(connection, "VACUUM pgbench_branches, pgbench_tellers, pgbench_accounts", cancellationToken);
        await ExecuteAsync(connection, "CHECKPOINT", cancellationToken);
        if (PostgresCases.IsSlowConnect(scenarioCase.Name))
        {
            await SetLoginDelayAsync(connection, "1s", cancellationToken);
        }

        if (PostgresCases.IsRemote(scenarioCase.Name))
        {
            await PinServerAsync(connection, ServerCore, cancellationToken);
        }
    }

    /// <inheritdoc/>
    public override async Task AfterRoundAsync(ScenarioCase scenarioCase)
    {
        if (PostgresCases.IsSlowConnect(scenarioCase.Name))
        {
            await using NpgsqlConnection connection = await OpenAsync(CancellationToken.None);
            await SetLoginDelayAsync(connection, "0", CancellationToken.None);
        }

        if (PostgresCases.IsRemote(scenarioCase.Name))
        {
            await using NpgsqlConnection connection = await OpenAsync(CancellationToken.None);
            await PinServerAsync(connection, $"0-{Environment.ProcessorCount - 1}", CancellationToken.None);
        }
    }

    /// <summary>Ends the server as a crash would, and starts it again.</summary>
    public Task RestartServerAsync() => _cluster.RestartAsync();

    /// <inheritdoc/>
    public override string? WhySkipped(ScenarioCase scenarioCase) =>
        !PostgresCases.IsRemote(scenarioCase.Name) ? null
        : !OperatingSystem.IsLinux() || Environment.ProcessorCount < 2 ? "it needs Linux and two cores: one for the clients, one for the server"
        : null;

    /// <inheritdoc/>
    public override async ValueTask DisposeAsync()
    {
        await _cluster.DisposeAsync();
        await base.DisposeAsync();
    }

    /// <summary>The server's own means to make authentication slow.</summary>
    private static async Task SetLoginDelayAsync(NpgsqlConnection connection, string delay, CancellationToken cancellationToken)
    {
        await ExecuteAsync(connection, $"ALTER SYSTEM SET pre_auth_delay = '{delay}'", cancellationToken);
        await ExecuteAsync(connection, "SELECT pg_reload_conf()", cancellationToken);

        // The reload reaches the server by a signal; connections that begin before it are not delayed.
        await Task.Delay(300, cancellationToken);
    }

    /// <summary>Binds the server to cores. Processes that serve clients later inherit it from their parent.</summary>
    private async Task PinServerAsync(NpgsqlConnection connection, string cores, CancellationToken cancellationToken)
    {
        List<int> processes = [_cluster.ProcessId];
        await using (NpgsqlCommand command = new("SELECT pid FROM pg_stat_activity", connection))
        {
            await using NpgsqlDataReader reader = await command.ExecuteReaderAsync(cancellationToken);
            while (await reader.ReadAsync(cancellationToken))
            {
                processes.Add(reader.GetInt32(0));
            }
        }

        foreach (int process in processes)
        {
            await PostgresCluster.PinAsync(process, cores, cancellationToken);
        }
    }

    private static async Task<long> CountOthersAsync(NpgsqlConnection connection, CancellationToken cancellationToken)
    {
        await using NpgsqlCommand command =
            new("SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()", connection);
        return (long)(await command.ExecuteScalarAsync(cancellationToken) ?? 0L);
    }

    private static async Task ExecuteAsync(NpgsqlConnection connection, string sql, CancellationToken cancellationToken)
    {
        await using NpgsqlCommand command = new(sql, connection);
        await command.ExecuteNonQueryAsync(cancellationToken);
    }

    private async Task<NpgsqlConnection> OpenAsync(CancellationToken cancellationToken)
    {
        NpgsqlConnection connection = new(_cluster.ConnectionString + ";Pooling=false");
        await connection.OpenAsync(cancellationToken);
        return connection;
    }
}
