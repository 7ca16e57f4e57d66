using AdaptivePool.Hosting.Tests.Apps;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Requests;

public sealed class HostNameTests
{
    [Fact]
    public async Task SeveralHosts_OneName_EachPoolHasItsOwnInThreadsAndOptions()
    {
        await using var first = await StartAsync();
        var second = await StartAsync();
        await using var third = await StartAsync();

        Names(first).ShouldBe(["twin", "twin-2"]);
        Names(second).ShouldBe(["twin-3", "twin-4"]);
        Names(third).ShouldBe(["twin-5", "twin-6"]);
        (await first.GetAsync("/")).ShouldStartWith(first.Pool.Name + " ");
        (await second.GetAsync("/")).ShouldStartWith(second.Pool.Name + " ");
        second.Application.Services.GetRequiredService<IOptions<AdaptivePoolOptions>>().Value.Name.ShouldBe(second.Pool.Name);

        await second.DisposeAsync();
        await using var fourth = await StartAsync();

        Names(fourth).ShouldBe(["twin-3", "twin-4"]);
    }

    [Fact]
    public async Task OneHost_OptionsMadeSeveralTimes_KeepTheName()
    {
        await using var app = await TestApp.StartAsync(static it => it.UseAdaptivePool(), settings: [new("AdaptivePool:Name", "only one")]);
        await using var scope = app.Application.Services.CreateAsyncScope();

        scope.ServiceProvider.GetRequiredService<IOptionsSnapshot<AdaptivePoolOptions>>().Value.Name.ShouldBe("only one");
        app.Application.Services.GetRequiredService<IOptionsMonitor<AdaptivePoolOptions>>().CurrentValue.Name.ShouldBe("only one");
        app.Pool.Name.ShouldBe("only one");
    }

    private static Task<TestApp> StartAsync() => TestApp.StartAsync(
        static it =>
        {
            it.UseAdaptivePool();
            it.MapGet("/", static () => Thread.CurrentThread.Name);
        },
        static it => it.Services.AddAdaptivePool("second"),
        [new("AdaptivePool:Name", "twin"), new("AdaptivePool:Pools:second:Name", "twin")]);

    // Which of the two options of a host is made first is not promised.
    private static string[] Names(TestApp app) =>
        [.. new[] { app.Pool.Name, app.Application.Services.GetRequiredKeyedService<AdaptiveThreadPool>("second").Name }.Order(StringComparer.Ordinal)];
}
