using AdaptivePool.Sample.Bank.Storage;

namespace AdaptivePool.Sample.Bank.Compare;

/// <summary>A temporary folder, or temporary schemas of the PostgreSQL database that is configured: one store for each child, gone afterwards.</summary>
internal sealed class CompareStore(string? connectionString) : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("adaptive-pool-bank-");

    public string Name => string.IsNullOrWhiteSpace(connectionString) ? "SQLite" : "PostgreSQL";

    public string Folder => _folder.FullName;

    public string FileOf(PoolKind kind) => Path.Combine(Folder, kind + ".db");

    public string SchemaOf(PoolKind kind)
        => $"compare_{Environment.ProcessId}_{(kind == PoolKind.Runtime ? "runtime" : "adaptive")}";

    public void Dispose()
    {
        _folder.Delete(recursive: true);
        if (!string.IsNullOrWhiteSpace(connectionString))
        {
            BankStores.DropSchemas(connectionString, [.. Enum.GetValues<PoolKind>().Select(SchemaOf)]);
        }
    }
}
