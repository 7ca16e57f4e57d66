using Npgsql;

namespace AdaptivePool.Sample.Bank.Storage;

public static class BankStores
{
    /// <summary>PostgreSQL when a connection string is given, else a SQLite file.</summary>
    public static IBankStore Create(BankOptions options, string? connectionString, string contentRoot)
        => string.IsNullOrWhiteSpace(connectionString)
            ? new SqliteBankStore(Path.Combine(contentRoot, options.DatabaseFile), options.BusyTimeoutSeconds)
            : new PostgresBankStore(connectionString, options.Schema);

    /// <summary>The same PostgreSQL connection string with at most this many connections per process.</summary>
    public static string LimitConnections(string connectionString, int most)
    {
        NpgsqlConnectionStringBuilder builder = new(connectionString);
        builder.MaxPoolSize = Math.Min(builder.MaxPoolSize, most);
        return builder.ConnectionString;
    }

    /// <summary>Removes schemas of a PostgreSQL database with everything in them.</summary>
    public static void DropSchemas(string connectionString, string[] schemas)
    {
        foreach (string schema in schemas)
        {
            using PostgresBankStore store = new(connectionString, schema);
            store.Drop();
        }
    }
}
