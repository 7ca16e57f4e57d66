using System.Data.Common;
using AdaptivePool.Admission;
using AdaptivePool.Hosting.Tests.Samples;
using Microsoft.Data.Sqlite;
using Npgsql;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Gates.Conformance;

/// <summary>
/// Each case runs on the provider bare, behind a gate, and with connections that the gated source keeps. What differs is a bug, or a line of docs/gate.md.
/// </summary>
[Collection(PostgresServerCollection.Name)]
public sealed class ConformanceTests(PostgresServer server)
{
    private const string Rows = "DELETE FROM t; INSERT INTO t VALUES (1, 'one'), (2, 'two'), (3, NULL)";

    [PostgresFact]
    public async Task Npgsql_BehindAGate_DiffersAsTheDocumentSays()
    {
        await using PostgresDatabase database = await server.CreateDatabaseAsync();
        await database.ExecuteAsync("CREATE TABLE t (id int PRIMARY KEY, v text)");
        await using NpgsqlDataSource unpooled = NpgsqlDataSource.Create(database.ConnectionString + ";Pooling=false");
        await CompareAsync("Npgsql", ConformanceCase.Postgres, database.Source, unpooled, GatedDataSourceOptions.PostgreSqlReset);
    }

    [Fact]
    public async Task Sqlite_BehindAGate_DiffersAsTheDocumentSays()
    {
        string file = Path.Combine(Directory.CreateTempSubdirectory("conformance").FullName, "data");
        try
        {
            await using DbDataSource source = SqliteFactory.Instance.CreateDataSource($"Data Source={file};Pooling=False");
            await using (DbConnection connection = await source.OpenConnectionAsync())
            {
                await KeptSource.ExecuteAsync(connection, "PRAGMA journal_mode = WAL; CREATE TABLE t (id int PRIMARY KEY, v text)");
            }

            await CompareAsync("SQLite", ConformanceCase.Common, source, source, "");
        }
        finally
        {
            Directory.Delete(Path.GetDirectoryName(file)!, recursive: true);
        }
    }

    private static async Task CompareAsync(string provider, IReadOnlyList<ConformanceCase> cases, DbDataSource bare, DbDataSource unpooled, string reset)
    {
        using var gate = new TransactionGate(new TransactionGateOptions { MaxTransactions = 8, FlowsWithContext = false });
        await using var wrapped = new GatedDataSource(bare, gate);
        await using var kept = new GatedDataSource(unpooled, gate, new GatedDataSourceOptions { KeepsConnections = true, ResetStatement = reset });
        List<string> found = [];
        List<string> details = [];
        foreach (ConformanceCase each in cases)
        {
            string control = await RunAsync(each, bare, bare);
            foreach ((string kind, DbDataSource source) in new (string, DbDataSource)[] { ("wrapped", wrapped), ("kept", kept) })
            {
                string notes = await RunAsync(each, bare, source);
                if (notes != control)
                {
                    found.Add($"{each.Name} | {provider}, {kind}");
                    details.Add($"{each.Name}, {kind}:\n  bare {control}\n  {kind} {notes}");
                }
            }
        }

        found.ShouldBe(Documented(provider), ignoreOrder: true, string.Join('\n', details));
        (gate.GetSnapshot().Held, kept.GetSnapshot().Open).ShouldBe((0, kept.GetSnapshot().Idle), "nothing is left");
    }

    private static async Task<string> RunAsync(ConformanceCase each, DbDataSource bare, DbDataSource source)
    {
        await using (DbConnection connection = await bare.OpenConnectionAsync())
        {
            await KeptSource.ExecuteAsync(connection, Rows);
        }

        var bench = new ConformanceBench(source);
        try
        {
            await each.Run(bench);
        }
        catch (Exception exception) when (exception is not ShouldAssertException)
        {
            bench.Note($"ended by {exception.GetType().Name}");
        }

        return bench.Notes;
    }

    /// <summary>The table of the document: case, then where it differs.</summary>
    private static IEnumerable<string> Documented(string provider)
    {
        string folder = AppContext.BaseDirectory;
        while (!File.Exists(Path.Combine(folder, "docs", "gate.md")))
        {
            folder = Path.GetDirectoryName(folder) ?? throw new InvalidOperationException("docs/gate.md is nowhere above the tests.");
        }

        return File.ReadLines(Path.Combine(folder, "docs", "gate.md"))
            .SkipWhile(static line => !line.StartsWith("| case | where |", StringComparison.Ordinal))
            .Skip(2)
            .TakeWhile(static line => line.StartsWith('|'))
            .Select(static line => line.Split('|', StringSplitOptions.TrimEntries))
            .SelectMany(static cells => cells[2].Split(';', StringSplitOptions.TrimEntries).Select(where => $"{cells[1]} | {where}"))
            .Where(row => row.Contains($"| {provider},", StringComparison.Ordinal));
    }
}
