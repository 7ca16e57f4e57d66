using Npgsql;

namespace AdaptivePool.Sample.Bank.Storage;

public static class BankStores
{
    /// <summary>PostgreSQL when a connection string is given, else a SQLite file.</summary>
    /// <exception cref="BankSettingException">The file has no folder, or the connection string is none.</exception>
    public static IBankStore Create(BankOptions options, string? connectionString, string contentRoot)
        => string.IsNullOrWhiteSpace(connectionString)
            ? new SqliteBankStore(FileIn(contentRoot, options.DatabaseFile), options.BusyTimeoutSeconds)
            : new PostgresBankStore(Read(connectionString).ConnectionString, options.Schema);

    /// <summary>The same PostgreSQL connection string with at most this many connections per process.</summary>
    public static string LimitConnections(string connectionString, int most)
    {
        NpgsqlConnectionStringBuilder builder = Read(connectionString);
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

    private static string FileIn(string contentRoot, string file)
    {
        string path = Path.GetFullPath(Path.Combine(contentRoot, file));
        string? folder = Path.GetDirectoryName(path);
        return string.IsNullOrWhiteSpace(file) || Directory.Exists(path) ? throw Wrong("it does not name a file")
            : !Directory.Exists(folder) ? throw Wrong($"the folder {folder} does not exist")
            : path;

        BankSettingException Wrong(string why) => new($"{BankOptions.Section}:{nameof(BankOptions.DatabaseFile)} is '{file}'; {why}.");
    }

    private static NpgsqlConnectionStringBuilder Read(string connectionString)
    {
        try
        {
            NpgsqlConnectionStringBuilder builder = new(connectionString);
            return string.IsNullOrEmpty(builder.Host) ? throw new ArgumentException("Host is missing") : builder;
        }
        catch (Exception e) when (e is ArgumentException or FormatException)
        {
            // The text itself may hold a password.
            throw new BankSettingException(
                $"ConnectionStrings:Bank is not a connection string of PostgreSQL, such as 'Host=localhost;Database=bank': {e.Message.TrimEnd('.')}.", e);
        }
    }
}
