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
}
