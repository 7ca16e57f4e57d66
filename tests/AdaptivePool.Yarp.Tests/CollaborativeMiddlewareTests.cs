using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Yarp.ReverseProxy.Model;

namespace AdaptivePool.Yarp.Tests;

public sealed class CollaborativeMiddlewareTests
{
    /// <summary>It was counted twice, and its destination was charged for both.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Request_ThatHasItsDestinationAlready_IsCountedOnce(bool isChosenByYarp)
    {
        await using ProxyFixture proxy = await ProxyFixture.StartAsync(CollaborativePolicies.Collaborative, map: app => app.MapReverseProxy(pipeline =>
        {
            if (isChosenByYarp)
            {
                pipeline.UseLoadBalancing();
            }
            else
            {
                pipeline.UseAdaptivePoolLoadBalancing();
            }

            pipeline.UseAdaptivePoolLoadBalancing();
        }));
        await proxy.SendAsync(10);
        proxy.Observe("admitted").ShouldBe(10);
        SpinWait.SpinUntil(() => proxy.Observe("in_flight") == 0, TimeSpan.FromSeconds(30)).ShouldBeTrue();
        proxy.Log.Lines.Count(static line => line.StartsWith("Warning: UseAdaptivePoolLoadBalancing() is called after", StringComparison.Ordinal))
            .ShouldBe(isChosenByYarp ? 1 : 0);
    }

    [Fact]
    public async Task Request_SentOnceMoreAfterAnException_IsChosenAnew()
    {
        await using ProxyFixture proxy = await ProxyFixture.StartAsync(CollaborativePolicies.Collaborative, map: app => app.MapReverseProxy(pipeline =>
        {
            pipeline.Use(async (context, next) =>
            {
                IReverseProxyFeature feature = context.GetReverseProxyFeature();
                try
                {
                    await next();
                }
                catch (InvalidOperationException)
                {
                    feature.AvailableDestinations = [.. feature.AllDestinations];
                    await next();
                }
            });
            pipeline.UseAdaptivePoolLoadBalancing();
            bool hasThrown = false;
            pipeline.Use((_, next) =>
            {
                bool isFirst = !hasThrown;
                hasThrown = true;
                return isFirst ? throw new InvalidOperationException("wanted") : next();
            });
            pipeline.UseLoadBalancing();
        }));
        await proxy.SendAsync(1);
        proxy.Observe("admitted").ShouldBe(2);
        SpinWait.SpinUntil(() => proxy.Observe("in_flight") == 0, TimeSpan.FromSeconds(30)).ShouldBeTrue();
    }
}
