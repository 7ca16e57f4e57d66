using System.Globalization;

namespace AdaptivePool.Scenarios.Scenarios.Web;

/// <summary>The closed loops there are.</summary>
public static class WebCases
{
    /// <summary>One synchronous transaction a request.</summary>
    public const string SyncDb = "sync-db";

    /// <summary>One asynchronous transaction a request; the number of connections follows.</summary>
    public const string AsyncDb = "async-db-";

    /// <summary>The first answer of an app, and the asynchronous queries of the three seconds that follow.</summary>
    public const string Start = "start";

    private static readonly string[] s_paired = ["hello", "json", "yield", "static-file", "async-query", "sync-query"];
    private static readonly int[] s_connections = [16, 64, 256];

    /// <summary>Those of <c>web</c>, by name.</summary>
    public static IReadOnlyDictionary<string, WebCase> Closed { get; } = new Dictionary<string, WebCase>(StringComparer.Ordinal)
    {
        ["hello"] = new(WebServer.Hello, 64),
        ["hello-256"] = new(WebServer.Hello, 256),
        ["yield"] = new(WebServer.Yield, 64),
        ["json"] = new(WebServer.Json, 64),
        ["static-file"] = new(WebServer.File, 64),
        ["sync-query"] = new(WebServer.SyncQuery, 64),
        ["async-query"] = new(WebServer.AsyncQuery, 64),
        ["sleep-20ms"] = new("/sleep", 256),
        [SyncDb] = new(WebServer.SyncDb, 256),
        [SyncDb + "-1024"] = new(WebServer.SyncDb, 1_024),
        [AsyncDb + "16"] = new(WebServer.AsyncDb, 16),
        [AsyncDb + "256"] = new(WebServer.AsyncDb, 256),
        [AsyncDb + "1024"] = new(WebServer.AsyncDb, 1_024),
        ["sync-over-async"] = new("/sync-over-async", 64),
        ["cpu"] = new("/cpu", 16),
    };

    /// <summary>Those of <c>web-pairs</c>, by name.</summary>
    public static IReadOnlyDictionary<string, WebCase> Pairs { get; } = s_paired
        .SelectMany(static _ => s_connections, static (name, connections) => (Name: name, Connections: connections))
        .ToDictionary(
            static c => string.Create(CultureInfo.InvariantCulture, $"{c.Name}-{c.Connections}"),
            static c => Closed[c.Name] with { Connections = c.Connections },
            StringComparer.Ordinal)
        .Append(new(AsyncDb + "4", new(WebServer.AsyncDb, 4)))
        .ToDictionary(StringComparer.Ordinal);

    /// <summary>Those of <c>web</c> with a fixed rate of requests, by name.</summary>
    public static IReadOnlyDictionary<string, PacedCase> Paced { get; } = new Dictionary<string, PacedCase>(StringComparer.Ordinal)
    {
        ["seldom"] = new(WebServer.Hello, 1, "1 request a second to a warm endpoint that only answers: what the server costs meanwhile"),
        ["hello-paced"] = new(WebServer.Hello, 2_000, "2,000 requests a second to a warm endpoint that only answers"),
        ["async-query-paced"] = new(WebServer.AsyncQuery, 1_000, "1,000 requests a second to a warm endpoint with one asynchronous query (needs PostgreSQL)"),
        ["sync-query-paced"] = new(WebServer.SyncQuery, 1_000, "1,000 requests a second to a warm endpoint with one synchronous query (needs PostgreSQL)"),
        ["hello-beside-queries"] = new(
            WebServer.Hello, 500, "500 requests a second to an endpoint that only answers, beside 1,000 with one synchronous query (needs PostgreSQL)",
            WebServer.SyncQuery, 1_000),
    };

    /// <summary>Whether a case needs the database.</summary>
    public static bool NeedsDatabase(string caseName) =>
        caseName == Start || (Paced.TryGetValue(caseName, out PacedCase? paced) && paced.NeedsDatabase)
        || ((Closed.TryGetValue(caseName, out WebCase? web) || Pairs.TryGetValue(caseName, out web)) && web.NeedsDatabase);
}
