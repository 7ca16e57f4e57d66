using AdaptivePool.Hosting.Tests.Apps;
using AdaptivePool.Hosting.Tests.Samples;
using Microsoft.AspNetCore.Builder;
using Npgsql;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Logging;

/// <summary>Which method the reports name when a driver waits on the program's behalf.</summary>
[Collection(PostgresServerCollection.Name)]
public sealed class BlockingDriverTests(PostgresServer server)
{
    private const string Slow = "SELECT pg_sleep(0.3)";

    [PostgresFact]
    public async Task GetBlockers_SynchronousQueries_NameTheProgramsMethodOrTheEndpoint()
    {
        await using var database = await server.CreateDatabaseAsync();
        await using var app = await TestApp.StartAsync(it =>
        {
            it.UseAdaptivePool();
            it.MapGet("/method", () => Sleeps(database.Source));
            it.MapGet("/handler", (int? ignored) =>
            {
                using var command = database.Source.CreateCommand(Slow);
                return command.ExecuteScalar() is null ? "nothing" : "slept";
            });
        });

        await Task.WhenAll(Enumerable.Range(0, 12).Select(i => app.GetAsync(i % 2 == 0 ? "/method" : "/handler")));

        var blockers = app.Pool.GetBlockers();
        blockers.ShouldContain(static it => it.Method == "AdaptivePool.Hosting.Tests.Logging.BlockingDriverTests.Sleeps" && it.ClassName == "GET /method");

        // What the compiler made of a handler is named after its source, or not at all: then the class, which is the endpoint, is the name.
        blockers.ShouldContain(static it => it.ClassName == "GET /handler");
        blockers.ShouldAllBe(static it => !it.Where.StartsWith("Npgsql") && !it.Where.Contains("lambda_method") && !it.Where.StartsWith("System."));
    }

    private static string Sleeps(NpgsqlDataSource source)
    {
        using var command = source.CreateCommand(Slow);
        return command.ExecuteScalar() is null ? "nothing" : "slept";
    }
}
