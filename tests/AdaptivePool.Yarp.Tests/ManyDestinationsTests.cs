using AdaptivePool.Balancing;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging.Abstractions;
using Yarp.ReverseProxy;
using Yarp.ReverseProxy.Model;

namespace AdaptivePool.Yarp.Tests;

public sealed class ManyDestinationsTests
{
    private const int Destinations = 10_000;

    /// <summary>What is known of them was collected anew for each request: 80 KB, and a lookup for each.</summary>
    [Fact]
    public async Task Pick_VeryManyDestinations_MakesNoListForEachRequest()
    {
        await using WebApplication proxy = await Front.StartProxyAsync(
            CollaborativePolicies.Collaborative, [.. Enumerable.Range(0, Destinations).Select(i => $"http://127.0.0.1:1/{i}")],
            static proxy => proxy.AddAdaptivePoolLoadBalancing());
        proxy.Services.GetRequiredService<IProxyStateLookup>().TryGetCluster("backends", out ClusterState? cluster).ShouldBeTrue();
        ProxyLog log = new(NullLogger<ClusterBalancer>.Instance);
        using ProxyMetrics metrics = new(log);
        ClusterBalancer balancer = new(cluster!, CollaborativePolicies.Collaborative, new CollaborativeBalancer(), pointLifetime: null, metrics, log);
        IReadOnlyList<DestinationState> destinations = cluster!.DestinationsState.AvailableDestinations;
        destinations.Count.ShouldBe(Destinations);
        balancer.Pick(new DefaultHttpContext(), destinations).ShouldNotBeNull();

        long before = GC.GetAllocatedBytesForCurrentThread();
        for (int i = 0; i < 100; i++)
        {
            balancer.Pick(new DefaultHttpContext(), destinations).ShouldNotBeNull();
        }

        (GC.GetAllocatedBytesForCurrentThread() - before).ShouldBeLessThan(100 * 8 * Destinations / 4);
    }
}
