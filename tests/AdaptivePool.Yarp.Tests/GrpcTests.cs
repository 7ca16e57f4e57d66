using AdaptivePool.Balancing;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;

namespace AdaptivePool.Yarp.Tests;

/// <summary>Backends that answer calls of gRPC, whose status over HTTP is 200 also where they fail.</summary>
public sealed class GrpcTests
{
    [Fact]
    public async Task FailingBackend_ThatAnswersAtOnce_GetsNoMoreThanOthers()
    {
        // It had the least work of all, and got nearly all calls.
        int failed = 0;
        await using WebApplication failing = await Front.StartAsync(app => app.Run(context =>
        {
            Interlocked.Increment(ref failed);
            context.Response.Headers[GrpcStatus.HeaderName] = "14";
            return Task.CompletedTask;
        }));
        await using WebApplication first = await StartAsync(), second = await StartAsync();
        await using ProxyFixture proxy = await ProxyFixture.StartAsync(
            CollaborativePolicies.Collaborative, waits: true, backends: 0, more: [failing.Urls.First(), first.Urls.First(), second.Urls.First()]);
        await Task.WhenAll(Enumerable.Range(0, 8).Select(_ => Task.Run(async () =>
        {
            for (int i = 0; i < 50; i++)
            {
                (await proxy.Client.GetAsync("/")).Dispose();
            }
        })));

        failed.ShouldBeInRange(1, 400 / 3);

        static Task<WebApplication> StartAsync() => Front.StartAsync(static app => app.Run(static async context =>
        {
            await Task.Delay(5);
            await context.Response.WriteAsync("ok");
        }));
    }
}
