using System.Globalization;
using AdaptivePool.Scenarios.Harness;
using AdaptivePool.Scenarios.Load;
using AdaptivePool.Scenarios.Scenarios.Postgres;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.FileProviders;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Npgsql;

namespace AdaptivePool.Scenarios.Scenarios.Web;

/// <summary>The web server of the child: stock Kestrel, with the hop or without.</summary>
public static class WebServer
{
    /// <summary>Longest time until one answers.</summary>
    public static readonly TimeSpan StartLimit = TimeSpan.FromSeconds(30);

    /// <summary>Only answers.</summary>
    public const string Hello = "/hello";

    /// <summary>The framework's health checks, as a load balancer would ask them.</summary>
    public const string Health = "/health";

    /// <summary>A synchronous call to a slow partner.</summary>
    public const string Partner = "/partner";

    /// <summary>An asynchronous client library used synchronously.</summary>
    public const string Legacy = "/legacy";

    /// <summary>A SignalR hub.</summary>
    public const string Hub = "/hub";

    /// <summary>One synchronous transaction.</summary>
    public const string SyncDb = "/sync-db";

    /// <summary>One asynchronous transaction.</summary>
    public const string AsyncDb = "/async-db";

    /// <summary>Answers after an await that ends at once.</summary>
    public const string Yield = "/yield";

    /// <summary>Answers a small document.</summary>
    public const string Json = "/json";

    /// <summary>A small file that is always there: settings of this program.</summary>
    public const string File = "/AdaptivePool.Scenarios.runtimeconfig.json";

    /// <summary>Answers after seven awaits of a millisecond.</summary>
    public const string Awaits = "/awaits";

    /// <summary>One synchronous query of a row.</summary>
    public const string SyncQuery = "/sync-query";

    /// <summary>One asynchronous query of a row.</summary>
    public const string AsyncQuery = "/async-query";

    /// <summary>Only answers, until <see cref="Tire"/> is asked for; then sleeps a second in every request.</summary>
    public const string Trusted = "/trusted";

    /// <summary>Lets <see cref="Trusted"/> sleep from now on.</summary>
    public const string Tire = "/tire";

    /// <summary>Lets <see cref="Trusted"/> only answer again.</summary>
    public const string Rest = "/rest";

    /// <summary>Whether <see cref="Trusted"/> has guests, and how often queued work was found with nobody on the way to it: <c>True 0</c>.</summary>
    public const string Guests = "/guests";

    /// <summary>The least number of threads of the runtime's pool.</summary>
    public const string Minimum = "/minimum";

    /// <summary>The pool of this project with the hop for every request.</summary>
    public const string WithoutGuests = "adaptive-without-guests";

    private const int Accounts = 100_000;
    private const string Query = "SELECT abalance FROM pgbench_accounts WHERE aid = $1";
    private const string Gate = "bank";
    private const string GatedPrefix = "gated-";
    private const string GatedAdaptive = "gated-adaptive";
    private const int SleepMilliseconds = 20;
    private const int PartnerMilliseconds = 50;
    private const int LegacyMilliseconds = 20;
    private const double CpuMilliseconds = 5;
    private const int InnerMilliseconds = 50;
    private const int AwaitsPerRequest = 7;

    /// <summary>Whether an endpoint asks the database.</summary>
    public static bool NeedsDatabase(string path) => path is SyncDb or AsyncDb or SyncQuery or AsyncQuery;

    /// <summary>Serves until the process is ended.</summary>
    public static void Run(ChildContext child)
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        bool hops = child.PoolName != "runtime";
        if (hops)
        {
            builder.Services.AddAdaptivePool(options => options.Guests = child.PoolName != WithoutGuests);
        }

        if (IsGated(child.PoolName))
        {
            builder.Services.AddTransactionGate(Gate, options
                => (options.PermitLimit, options.Adaptive) = (GateLimit(child.PoolName) ?? 0, child.PoolName == GatedAdaptive));
        }

        builder.Services.AddHealthChecks();
        builder.Services.AddSignalR();
        WebApplication app = builder.Build();
        app.Urls.Add("http://127.0.0.1:0");
        if (hops)
        {
            app.UseAdaptivePool();
        }

        app.UseStaticFiles(new StaticFileOptions { FileProvider = new PhysicalFileProvider(AppContext.BaseDirectory) });
        Map(app, child);
        app.Start();
        child.ReportReady(app.Urls.First());
        app.WaitForShutdown();
    }

    /// <summary>Whether a pool's name asks for a gate.</summary>
    public static bool IsGated(string poolName) => poolName == GatedAdaptive || GateLimit(poolName) is not null;

    /// <summary>Limit of the gate that a pool's name asks for; null where none is set by hand.</summary>
    private static int? GateLimit(string poolName) =>
        poolName.StartsWith(GatedPrefix, StringComparison.Ordinal)
            && int.TryParse(poolName.AsSpan(GatedPrefix.Length), NumberStyles.None, CultureInfo.InvariantCulture, out int limit) && limit is > 0 and < 10_000
            ? limit
            : null;

    private static void Map(WebApplication app, ChildContext child)
    {
        CpuBurner burner = child.CreateBurner();
        app.MapGet(Hello, static () => "hello");
        app.MapHealthChecks(Health);
        app.MapHub<SleepingHub>(Hub);
        app.MapGet(Partner, static () =>
        {
            Thread.Sleep(PartnerMilliseconds);
            return "quoted";
        });
        app.MapGet(Legacy, static () => InnerAsync(LegacyMilliseconds).Result);
        app.MapGet("/sleep", static () =>
        {
            Thread.Sleep(SleepMilliseconds);
            return "slept";
        });
        app.MapGet(Yield, static async () =>
        {
            await Task.Yield();
            return "yielded";
        });
        app.MapGet(Json, static () => new { message = "Hello, World!", number = 42, list = (int[])[1, 2, 3] });
        app.MapGet(Awaits, static async () =>
        {
            for (int i = 0; i < AwaitsPerRequest; i++)
            {
                await Task.Delay(1);
            }

            return "awaited";
        });
        MapTrusted(app);
        app.MapGet("/sync-over-async", static () => InnerAsync(InnerMilliseconds).Result);
        app.MapGet("/cpu", () =>
        {
            burner.Burn(CpuMilliseconds);
            return "computed";
        });
        if (WebCases.NeedsDatabase(child.Case))
        {
            MapDatabase(app, child);
        }
    }

    private static void MapTrusted(WebApplication app)
    {
        bool isTired = false;
        app.MapGet(Trusted, () =>
        {
            if (Volatile.Read(ref isTired))
            {
                Thread.Sleep(TrustRun.SleepMilliseconds);
            }

            return "done";
        });
        app.MapGet(Tire, () =>
        {
            Volatile.Write(ref isTired, true);
            return "tired";
        });
        app.MapGet(Rest, () =>
        {
            Volatile.Write(ref isTired, false);
            return "rested";
        });
        app.MapGet(Guests, (IServiceProvider services) =>
        {
            PoolSnapshot? pool = services.GetService<AdaptiveThreadPool>()?.GetSnapshot();
            bool hasGuests = pool?.Classes.Any(static c => c.HasGuests && c.Name.Contains(Trusted, StringComparison.Ordinal)) ?? false;
            return $"{hasGuests} {pool?.Rescues ?? 0}";
        });
        app.MapGet(Minimum, static () =>
        {
            ThreadPool.GetMinThreads(out int threads, out _);
            return threads.ToString(CultureInfo.InvariantCulture);
        });
    }

    private static void MapDatabase(WebApplication app, ChildContext child)
    {
        NpgsqlDataSource source = NpgsqlDataSource.Create(child.Setting(PostgresEnvironment.ConnectionSetting) + ";Maximum Pool Size=1000");
        app.MapGet(SyncQuery, () =>
        {
            using NpgsqlCommand command = QueryOf(source);
            return command.ExecuteScalar()?.ToString();
        });
        app.MapGet(AsyncQuery, async () =>
        {
            await using NpgsqlCommand command = QueryOf(source);
            return (await command.ExecuteScalarAsync())?.ToString();
        });
        TpcB bank = new(child.Setting(PostgresEnvironment.ConnectionSetting));
        RouteHandlerBuilder[] endpoints =
        [
            app.MapGet(SyncDb, () =>
            {
                bank.Run();
                return "committed";
            }),
            app.MapGet(AsyncDb, async () =>
            {
                await bank.RunAsync();
                return "committed";
            }),
        ];
        if (IsGated(child.PoolName))
        {
            foreach (RouteHandlerBuilder endpoint in endpoints)
            {
                endpoint.RequireTransactionGate(Gate);
            }
        }
    }

    private static NpgsqlCommand QueryOf(NpgsqlDataSource source)
    {
        NpgsqlCommand command = source.CreateCommand(Query);
        command.Parameters.Add(new NpgsqlParameter<int> { TypedValue = Random.Shared.Next(1, Accounts + 1) });
        return command;
    }

    private static async Task<string> InnerAsync(int milliseconds)
    {
        await Task.Delay(milliseconds);
        return "waited";
    }
}
