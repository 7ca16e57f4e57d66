using System.Data.Common;
using AdaptivePool.Admission;
using AdaptivePool.Data;
using AdaptivePool.Hosting.Tests.Samples;
using Microsoft.Data.Sqlite;
using Npgsql;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Data.Conformance;

/// <summary>
/// Each case runs on the provider bare, behind a gate, with statements that count, with connections that the gated source keeps, and with both.
/// What differs is a bug, or a line of docs/data.md.
/// </summary>
[Collection(PostgresServerCollection.Name)]
public sealed class ConformanceTests(PostgresServer server)
{
    private static readonly string[] s_kinds = ["wrapped", "counted", "kept", "kept and counted"];

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
        using var gate = new TransactionGate(new TransactionGateOptions { PermitLimit = 8, FlowsWithContext = false });
        await using var wrapped = new GatedDataSource(bare, gate);
        await using var counted = new GatedDataSource(bare, gate, new GatedDataSourceOptions { AutoCommit = AutoCommitHandling.Count });
        await using var kept = new GatedDataSource(unpooled, gate, new GatedDataSourceOptions { KeepsConnections = true, ResetStatement = reset });
        await using var both = new GatedDataSource(
            unpooled, gate, new GatedDataSourceOptions { KeepsConnections = true, ResetStatement = reset, AutoCommit = AutoCommitHandling.Count });
        (string Kind, GatedDataSource Source)[] columns = [.. s_kinds.Zip([wrapped, counted, kept, both])];
        List<string> found = [];
        List<string> details = [];
        foreach (ConformanceCase each in cases)
        {
            string control = await RunAsync(each, bare, bare);
            foreach ((string kind, GatedDataSource source) in columns)
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
        foreach ((_, GatedDataSource source) in columns)
        {
            (gate.GetSnapshot().Held, source.GetSnapshot().Open).ShouldBe((0, source.GetSnapshot().Idle), "nothing is left");
        }
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
        while (!File.Exists(Path.Combine(folder, "docs", "data.md")))
        {
            folder = Path.GetDirectoryName(folder) ?? throw new InvalidOperationException("docs/data.md is nowhere above the tests.");
        }

        string[][] table = [.. File.ReadLines(Path.Combine(folder, "docs", "data.md"))
            .SkipWhile(static line => !line.StartsWith("| case | Npgsql |", StringComparison.Ordinal))
            .TakeWhile(static line => line.StartsWith('|'))
            .Select(static line => line.Split('|', StringSplitOptions.TrimEntries))];
        int column = Array.IndexOf(table[0], provider);
        return table.Skip(2).SelectMany(row => s_kinds.Where(kind => Says(row[column], kind)).Select(kind => $"{row[1]} | {provider}, {kind}"));
    }

    /// <summary>Whether a cell names a kind of source. One that both keeps and counts differs where one of the two does.</summary>
    private static bool Says(string cell, string kind) =>
        cell == "all" || cell.Split(',', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries).Any(word => kind.Split(' ').Contains(word));
}
