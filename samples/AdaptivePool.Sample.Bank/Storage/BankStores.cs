namespace AdaptivePool.Sample.Bank.Storage;

public static class BankStores
{
    /// <summary>PostgreSQL when a connection string is given, else a SQLite file.</summary>
    public static IBankStore Create(BankOptions options, string? connectionString, string contentRoot)
        => string.IsNullOrWhiteSpace(connectionString)
            ? new SqliteBankStore(Path.Combine(contentRoot, options.DatabaseFile), options.BusyTimeoutSeconds)
            : new PostgresBankStore(connectionString, options.Schema);

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
