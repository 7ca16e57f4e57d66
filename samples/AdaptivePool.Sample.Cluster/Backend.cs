using System.Net;
using AdaptivePool.Hosting;

namespace AdaptivePool.Sample.Cluster;

/// <summary>A small bank: a transfer asks a partner, which takes 100 ms and a thread, and then moves money. How many it can do at once is how large the machine
/// is.</summary>
internal static class Backend
{
    public const string Verb = "backend";

    /// <summary>Balancers are told the load by this name.</summary>
    public const string BalancerName = "front";

    private static readonly TimeSpan s_partner = TimeSpan.FromMilliseconds(100);

    public static async Task RunAsync(string name, int threads, string rule, int agentPort)
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.ConfigureKestrel(options => options.Listen(IPAddress.Loopback, 0));

        // One thread more: the last one is left to work that has begun.
        builder.Services.AddAdaptivePool(pool
            => (pool.Name, pool.MinThreads, pool.InitialThreads, pool.MaxThreads) = (name, threads + 1, threads + 1, threads + 1));
        builder.Services.AddLoadReporting(load =>
        {
            load.Balancers.Add(BalancerName);
            load.Rule = Enum.Parse<OverloadRule>(rule);
            load.AgentPort = agentPort;
            load.AgentMaxConnections = threads * 2;
        });

        WebApplication app = builder.Build();
        app.UseLoadReporting();
        app.UseAdaptivePool();
        long balance = 0;
        app.MapPost("/transfer", () =>
        {
            Thread.Sleep(s_partner);
            return Interlocked.Increment(ref balance).ToString(System.Globalization.CultureInfo.InvariantCulture);
        });
        await app.StartAsync();
        await Child.ServeAsync(app, app.Urls.First());
    }
}
