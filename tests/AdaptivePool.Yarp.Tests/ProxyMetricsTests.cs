namespace AdaptivePool.Yarp.Tests;

public sealed class ProxyMetricsTests
{
    [Fact]
    public async Task Observe_DestinationIsTakenOut_IsToldNoMore()
    {
        await using ProxyFixture proxy = await ProxyFixture.StartAsync(CollaborativePolicies.Collaborative);
        await proxy.SendAsync(3);
        proxy.Observe("admitted").ShouldBe(3);
        proxy.TakeOut();
        proxy.Observe("admitted").ShouldBe(0);
    }

    [Fact]
    public async Task Observe_PointThatCountsNoMore_IsToldNoMore()
    {
        // Where no request came any more, as at night, the point of the last one was told for ever.
        await using ProxyFixture proxy = await ProxyFixture.StartAsync(
            CollaborativePolicies.Collaborative, static it => it.Collaborative = new() { PointLifetime = TimeSpan.FromSeconds(2) }, backends: 1);
        proxy.Backends[0].Report = "run=1; seq=1; op=59";
        int point = 0;
        for (int i = 0; i < 20 && point == 0; i++)
        {
            // The machine may stand still for longer than the point lives.
            await proxy.SendAsync(1);
            point = (int)proxy.Observe("overload_point");
        }

        point.ShouldBe(59);
        SpinWait.SpinUntil(() => proxy.Observe("overload_point") == 0, TimeSpan.FromSeconds(30)).ShouldBeTrue();
    }
}
