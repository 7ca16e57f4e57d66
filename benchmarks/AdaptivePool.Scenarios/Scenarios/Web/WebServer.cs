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
    private const int SleepMilliseconds = 20;
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
        app.MapGet("/hello", static () => "hello");
        app.MapGet("/sleep", static () =>
        {
            Thread.Sleep(SleepMilliseconds);
            return "slept";
        });
        app.MapGet("/sync-over-async", static () => InnerAsync().Result);
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

    private static async Task<string> InnerAsync()
    {
        await Task.Delay(InnerMilliseconds);
        return "waited";
    }
}
