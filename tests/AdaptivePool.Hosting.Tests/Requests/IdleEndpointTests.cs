using AdaptivePool.Hosting.Tests.Apps;
using Microsoft.AspNetCore.Builder;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Requests;

public sealed class IdleEndpointTests
{
    [Fact]
    public async Task MoreEndpointsThanThreads_UsedOnce_LeaveThreadsToTheOneThatBlocks()
    {
        const int endpoints = 40;
        const int together = 16;
        using var arrived = new CountdownEvent(together);
        await using var app = await TestApp.StartAsync(
            it =>
            {
                it.UseAdaptivePool();
                for (var i = 0; i < endpoints; i++)
                {
                    it.MapGet($"/{i}", Whereabouts.Here);
                }

                it.MapGet("/meet", () =>
                {
                    arrived.Signal();
                    return arrived.Wait(TestApp.Patience / 2);
                });
            },
            settings: [new("AdaptivePool:MaxThreads", "32")]);
        for (var i = 0; i < endpoints; i++)
        {
            (await app.GetAsync($"/{i}")).ShouldBe(Whereabouts.Pool);
        }

        var answers = await Task.WhenAll(Enumerable.Range(0, together).Select(_ => app.GetAsync("/meet")));

        answers.ShouldAllBe(static answer => answer == "true");
    }
}
