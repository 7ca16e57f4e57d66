using Microsoft.AspNetCore.Builder;

namespace AdaptivePool.Yarp.Tests;

/// <summary>YARP itself, restored without the package that only its hash cookie uses.</summary>
public sealed class ProxyTests
{
    [Fact]
    public async Task Request_ThroughYarp_ReachesTheBackend()
    {
        await using WebApplication backend = await Front.StartAsync(app => app.MapGet("/hello", () => "from behind"));
        await using WebApplication proxy = await Front.StartProxyAsync(policy: null, [backend.Urls.First()]);
        using HttpClient client = Front.Client(proxy);
        (await client.GetStringAsync("/hello")).ShouldBe("from behind");
    }
}
