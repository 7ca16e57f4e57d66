using System.Globalization;
using Npgsql;

namespace AdaptivePool.Hosting.Tests.Samples;

/// <summary>Ends sessions of a database at random; used by the tests and by the scenario with kills.</summary>
internal static class RandomKills
{
    /// <summary>Ends sessions until it is told to stop.</summary>
    /// <param name="connectionString">The database.</param>
    /// <param name="share">Probability for each session at each look.</param>
    /// <param name="which">Condition in SQL on the rows of pg_stat_activity that may be ended.</param>
    /// <param name="pause">Time between two looks.</param>
    /// <param name="look">Called after each look.</param>
    /// <param name="stop">The end.</param>
    /// <returns>How many were ended.</returns>
    public static Task<long> RunAsync(string connectionString, double share, string which, TimeSpan pause, Action look, CancellationToken stop)
        => Task.Run(async () =>
    {
        // Connections of its own: one of the clients' may have been killed on its way back.
        await using NpgsqlDataSource own = NpgsqlDataSource.Create(connectionString);
        string sql = string.Create(
            CultureInfo.InvariantCulture,
            $"SELECT count(*) FILTER (WHERE pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() "
                + $"AND {which} AND random() < {share}");
        long killed = 0;
        while (!stop.IsCancellationRequested)
        {
            await using NpgsqlCommand kill = own.CreateCommand(sql);
            killed += (long)(await kill.ExecuteScalarAsync(CancellationToken.None))!;
            look();
            await Task.Delay(pause, CancellationToken.None);
        }

        return killed;
    }, CancellationToken.None);
}
