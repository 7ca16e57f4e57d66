using AdaptivePool.Scenarios.Harness;
using AdaptivePool.Scenarios.Scenarios.Postgres;
using Npgsql;

namespace AdaptivePool.Scenarios.Scenarios.Fleet;

/// <summary>A cluster for a whole run, with a server in it whose best limit is known: a sleep inside a semaphore of advisory locks.</summary>
public sealed class FleetEnvironment : ScenarioEnvironment
{
    /// <summary>Places of the semaphore.</summary>
    public const int Slots = 64;

    /// <summary>How long a place is held, in milliseconds.</summary>
    public const int HeldMilliseconds = 20;

    // Whoever finds no place free waits for one of them, drawn, as in a queue before each.
    private static readonly string s_schema = $"""
        CREATE FUNCTION serve() RETURNS void LANGUAGE plpgsql AS $$
        DECLARE place int := floor(random() * {Slots});
        BEGIN
            FOR i IN 1..{Slots} LOOP
                EXIT WHEN pg_try_advisory_xact_lock(place);
                place := (place + 1) % {Slots};
                IF i = {Slots} THEN PERFORM pg_advisory_xact_lock(place); END IF;
            END LOOP;
            PERFORM pg_sleep({HeldMilliseconds}e-3);
        END $$
        """;

    private readonly PostgresCluster _cluster;

    /// <summary>How long before the beginning it is told.</summary>
    private static readonly TimeSpan s_ahead = TimeSpan.FromMilliseconds(500);

    private FleetEnvironment(PostgresCluster cluster)
    {
        _cluster = cluster;
        Settings[PostgresEnvironment.ConnectionSetting] = cluster.ConnectionString;
    }

    /// <summary>Starts the cluster.</summary>
    public static async Task<FleetEnvironment> StartAsync(Action<string> say, CancellationToken cancellationToken)
    {
        say("fleet: creating a PostgreSQL cluster of its own ...");
        FleetEnvironment environment = new(await PostgresCluster.StartAsync(cancellationToken));
        await environment.ExecuteAsync(s_schema, cancellationToken);
        await environment.ExecuteAsync("CREATE TABLE fleet_begin (at bigint)", cancellationToken);
        return environment;
    }

    /// <summary>Waits until the processes of the round before are gone.</summary>
    public override async Task BeforeRoundAsync(ScenarioCase scenarioCase, CancellationToken cancellationToken)
    {
        while (await CountOthersAsync(cancellationToken) > 0)
        {
            await Task.Delay(100, cancellationToken);
        }

        await ExecuteAsync("TRUNCATE pgbench_history, fleet_begin; VACUUM pgbench_branches; VACUUM pgbench_tellers", cancellationToken);
    }

    /// <summary>Tells all processes of a round, which wait for it, when it begins.</summary>
    /// <returns>When.</returns>
    public async Task<DateTimeOffset> BeginAsync(CancellationToken cancellationToken)
    {
        DateTimeOffset begin = DateTimeOffset.UtcNow + s_ahead;
        await ExecuteAsync($"INSERT INTO fleet_begin VALUES ({begin.ToUnixTimeMilliseconds()})", cancellationToken);
        return begin;
    }

    /// <inheritdoc/>
    public override async ValueTask DisposeAsync()
    {
        await _cluster.DisposeAsync();
        await base.DisposeAsync();
    }

    private async Task<long> CountOthersAsync(CancellationToken cancellationToken)
    {
        await using NpgsqlConnection connection = await OpenAsync(cancellationToken);
        await using NpgsqlCommand command =
            new("SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()", connection);
        return (long)(await command.ExecuteScalarAsync(cancellationToken) ?? 0L);
    }

    private async Task ExecuteAsync(string sql, CancellationToken cancellationToken)
    {
        await using NpgsqlConnection connection = await OpenAsync(cancellationToken);
        foreach (string statement in sql.StartsWith("CREATE", StringComparison.Ordinal) ? [sql] : sql.Split(';', StringSplitOptions.TrimEntries))
        {
            await using NpgsqlCommand command = new(statement, connection);
            await command.ExecuteNonQueryAsync(cancellationToken);
        }
    }

    private async Task<NpgsqlConnection> OpenAsync(CancellationToken cancellationToken)
    {
        NpgsqlConnection connection = new(_cluster.ConnectionString + ";Pooling=false");
        await connection.OpenAsync(cancellationToken);
        return connection;
    }
}
