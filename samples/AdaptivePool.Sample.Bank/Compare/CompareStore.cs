using AdaptivePool.Sample.Bank.Storage;

namespace AdaptivePool.Sample.Bank.Compare;

/// <summary>A temporary folder, or temporary schemas of the PostgreSQL database that is configured: one store for each child, gone afterwards.</summary>
internal sealed class CompareStore(string? connectionString) : IDisposable
{
    // Two children, and whoever else uses the server, fit into the 100 connections that PostgreSQL allows by default.
    private const int MaxConnections = 40;

    /// <summary>Connection string for a child; null with SQLite.</summary>
    public string? ConnectionString { get; } = string.IsNullOrWhiteSpace(connectionString) ? null
        : BankStores.LimitConnections(connectionString, MaxConnections);

    // After the string: one that is none leaves no folder behind.
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("adaptive-pool-bank-");

    public string Name => ConnectionString is null ? "SQLite" : "PostgreSQL";

    public string Folder => _folder.FullName;

    public string FileOf(PoolKind kind) => Path.Combine(Folder, kind + ".db");

    public string SchemaOf(PoolKind kind)
        => $"compare_{Environment.ProcessId}_{(kind == PoolKind.Runtime ? "runtime" : "adaptive")}";

    public void Dispose()
    {
        _folder.Delete(recursive: true);
        if (ConnectionString is not null)
        {
            BankStores.DropSchemas(ConnectionString, [.. Enum.GetValues<PoolKind>().Select(SchemaOf)]);
        }
    }
}
