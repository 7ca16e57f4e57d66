using AdaptivePool.Scenarios.Harness;
using AdaptivePool.Scenarios.Load;
using AdaptivePool.Scenarios.Scenarios.Postgres;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace AdaptivePool.Scenarios.Scenarios.Web;

/// <summary>The web server of the child: stock Kestrel, with the hop or without.</summary>
public static class WebServer
{
    /// <summary>Only answers.</summary>
    public const string Hello = "/hello";

    /// <summary>The framework's health checks, as a load balancer would ask them.</summary>
    public const string Health = "/health";

    /// <summary>A synchronous call to a slow partner.</summary>
    public const string Partner = "/partner";

    /// <summary>An asynchronous client library used synchronously.</summary>
    public const string Legacy = "/legacy";

    private const int SleepMilliseconds = 20;
    private const int PartnerMilliseconds = 50;
    private const int LegacyMilliseconds = 20;
    private const double CpuMilliseconds = 5;
    private const int InnerMilliseconds = 50;

    /// <summary>Serves until the process is ended.</summary>
    public static void Run(ChildContext child)
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        bool hops = child.PoolName == "adaptive";
        if (hops)
        {
            builder.Services.AddAdaptivePool();
        }

        builder.Services.AddHealthChecks();
        WebApplication app = builder.Build();
        app.Urls.Add("http://127.0.0.1:0");
        if (hops)
        {
            app.UseAdaptivePool();
        }

        Map(app, child);
        app.Start();
        child.ReportReady(app.Urls.First());
        app.WaitForShutdown();
    }

    private static void Map(WebApplication app, ChildContext child)
    {
        CpuBurner burner = child.CreateBurner();
        app.MapGet(Hello, static () => "hello");
        app.MapHealthChecks(Health);
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
        app.MapGet("/sync-over-async", static () => InnerAsync(InnerMilliseconds).Result);
        app.MapGet("/cpu", () =>
        {
            burner.Burn(CpuMilliseconds);
            return "computed";
        });
        if (child.Case == WebScenario.SyncDb)
        {
            TpcB bank = new(child.Setting(PostgresEnvironment.ConnectionSetting));
            app.MapGet("/sync-db", () =>
            {
                bank.Run();
                return "committed";
            });
        }
    }

    private static async Task<string> InnerAsync(int milliseconds)
    {
        await Task.Delay(milliseconds);
        return "waited";
    }
}
