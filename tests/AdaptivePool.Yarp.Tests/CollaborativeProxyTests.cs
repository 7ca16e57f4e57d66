using System.Net;
using AdaptivePool.Balancing;
using Microsoft.Extensions.Options;

namespace AdaptivePool.Yarp.Tests;

public sealed class CollaborativeProxyTests
{
    /// <summary>So low that after one request the next is due in a quarter of an hour.</summary>
    private const string NearlyNothing = "op=0.001";

    [Theory]
    [InlineData(CollaborativePolicies.Collaborative)]
    [InlineData(CollaborativePolicies.CollaborativeRoundRobin)]
    public async Task Backend_ThatIsOverloaded_GetsWhatItCanBear(string policy)
    {
        await using ProxyFixture proxy = await ProxyFixture.StartAsync(policy);

        // It is the first choice, because the other one tells that it is slow.
        proxy.Backends[0].Report = $"run=1; seq=1; {NearlyNothing}; us=100";
        proxy.Backends[1].Report = "run=1; seq=1; us=500000";
        await proxy.SendToAllAsync();
        int[] got = await proxy.SendAsync(20);

        // The literal one admits one in each second, however long this takes.
        got[1].ShouldBeGreaterThan(policy == CollaborativePolicies.Collaborative ? 18 : 10);
        proxy.Observe("overload_point").ShouldBe(0.001);
        proxy.Observe("diverted").ShouldBeGreaterThan(0);
        proxy.Observe("admitted").ShouldBe(proxy.Backends.Sum(b => b.Requests));
        proxy.Count("reports.taken").ShouldBeGreaterThan(0);
    }

    [Fact]
    public async Task Client_SeesAndSendsNothingOfIt()
    {
        await using ProxyFixture proxy = await ProxyFixture.StartAsync(CollaborativePolicies.Collaborative, it => it.BalancerName = "front");
        proxy.Backends[0].Report = proxy.Backends[1].Report = "run=1; seq=1; rif=3";
        using HttpRequestMessage request = new(HttpMethod.Get, "/");
        request.Headers.Add(LoadReport.HeaderName, $"run=9; seq=9; {NearlyNothing}");
        request.Headers.Add(LoadReport.BalancerHeaderName, "impostor");
        using HttpResponseMessage response = await proxy.Client.SendAsync(request);
        response.Headers.Contains(LoadReport.HeaderName).ShouldBeFalse();
        response.Headers.Contains("endpoint-load-metrics").ShouldBeFalse();
        proxy.Backends.SelectMany(b => b.Asked).ShouldBe([("front", null)]);
        proxy.Count("forged").ShouldBe(1);
        proxy.Observe("overload_point").ShouldBe(0, "what a client says holds nobody back");
    }

    [Theory]
    [InlineData("op=5")]
    [InlineData("run=1; seq=1; op=0")]
    [InlineData("run=1; seq=1; op=-1")]
    [InlineData("run=1; seq=1; op=1e99")]
    [InlineData("nonsense")]
    public async Task Report_ThatIsNone_IsIgnoredAndCounted(string text)
    {
        await using ProxyFixture proxy = await ProxyFixture.StartAsync(CollaborativePolicies.Collaborative);
        proxy.Backends[0].Report = proxy.Backends[1].Report = text;
        await proxy.SendAsync(6);
        proxy.Count("reports.malformed").ShouldBe(6);
        proxy.Observe("overload_point").ShouldBe(0);
    }

    [Fact]
    public async Task Report_ThatIsLate_IsIgnoredAndCounted_AndALaterRunBeginsAnew()
    {
        await using ProxyFixture proxy = await ProxyFixture.StartAsync(CollaborativePolicies.Collaborative, backends: 2);
        ReportingBackend[] backends = proxy.Backends;
        backends[0].Report = backends[1].Report = "run=5; seq=100; op=1000000";
        await proxy.SendToAllAsync();
        backends[0].Report = backends[1].Report = $"run=5; seq=99; {NearlyNothing}";
        await proxy.SendToAllAsync();
        proxy.Count("reports.stale").ShouldBeGreaterThanOrEqualTo(2);
        proxy.Observe("overload_point").ShouldBe(2_000_000);
        backends[0].Report = backends[1].Report = "run=6; seq=0";
        await proxy.SendToAllAsync();
        proxy.Observe("overload_point").ShouldBe(0);
    }

    [Fact]
    public async Task AllAtTheirLimit_IsAnsweredWith503AndRetryAfter()
    {
        await using ProxyFixture proxy = await ProxyFixture.StartAsync(CollaborativePolicies.Collaborative);
        proxy.Backends[0].Report = proxy.Backends[1].Report = $"run=1; seq=1; {NearlyNothing}";
        HttpResponseMessage? last = null;
        for (int i = 0; i < 5; i++)
        {
            last?.Dispose();
            last = await proxy.Client.GetAsync("/");
        }

        last!.StatusCode.ShouldBe(HttpStatusCode.ServiceUnavailable);
        last.Headers.RetryAfter!.Delta!.Value.TotalSeconds.ShouldBeGreaterThanOrEqualTo(1);
        last.Dispose();
        proxy.Count("shed").ShouldBe(1);
    }

    [Fact]
    public async Task AllAtTheirLimit_WaitsWhereThePipelineSaysSo()
    {
        await using ProxyFixture proxy =
            await ProxyFixture.StartAsync(CollaborativePolicies.Collaborative, it => it.MostWait = TimeSpan.FromSeconds(30), waits: true, backends: 1);
        proxy.Backends[0].Report = "run=1; seq=1; op=50";

        // Ten of them are ahead of the rate by more than the burst: without waiting they would be refused.
        (await Task.WhenAll(Enumerable.Range(0, 20).Select(_ => proxy.Client.GetStringAsync("/")))).ShouldAllBe(text => text == "ok");
        proxy.Count("shed").ShouldBe(0);
    }

    [Fact]
    public async Task AllAtTheirLimit_WaitEndsWithItsTime()
    {
        await using ProxyFixture proxy = await ProxyFixture.StartAsync(
            CollaborativePolicies.Collaborative, it => it.MostWait = TimeSpan.FromMilliseconds(50), waits: true, backends: 1);
        proxy.Backends[0].Report = $"run=1; seq=1; {NearlyNothing}";
        await proxy.Client.GetStringAsync("/");
        await proxy.Client.GetStringAsync("/");
        HttpResponseMessage[] rest = await Task.WhenAll(Enumerable.Range(0, 10).Select(_ => proxy.Client.GetAsync("/")));
        rest.ShouldAllBe(it => it.StatusCode == HttpStatusCode.ServiceUnavailable && it.Headers.RetryAfter != null);
        proxy.Count("shed").ShouldBe(10);
    }

    [Fact]
    public async Task Requests_ThatHaveEnded_AreNotInFlight()
    {
        await using ProxyFixture proxy = await ProxyFixture.StartAsync(CollaborativePolicies.Collaborative);
        await Task.WhenAll(Enumerable.Range(0, 50).Select(_ => proxy.Client.GetStringAsync("/")));
        SpinWait.SpinUntil(() => proxy.Observe("in_flight") == 0, TimeSpan.FromSeconds(30)).ShouldBeTrue();
        proxy.Observe("admitted").ShouldBe(50);
    }

    [Fact]
    public async Task OtherPolicy_IsNotTouched_AndItsClientsSeeNothingEither()
    {
        await using ProxyFixture proxy = await ProxyFixture.StartAsync("RoundRobin", waits: true);
        proxy.Backends[0].Report = proxy.Backends[1].Report = $"run=1; seq=1; {NearlyNothing}";
        using HttpResponseMessage response = await proxy.Client.GetAsync("/");
        response.Headers.Contains(LoadReport.HeaderName).ShouldBeFalse();
        (await proxy.SendAsync(9)).Min().ShouldBeGreaterThan(3);
        proxy.Backends.SelectMany(b => b.Asked).ShouldAllBe(it => it.Balancer == null);
    }

    [Fact]
    public async Task Options_OutOfRange_FailTheStartAndAreNamed()
    {
        OptionsValidationException thrown = await Should.ThrowAsync<OptionsValidationException>(() => ProxyFixture.StartAsync(
            CollaborativePolicies.Collaborative,
            it =>
            {
                it.BalancerName = "a b";
                it.MostWait = TimeSpan.FromSeconds(-1);
                it.Collaborative = new CollaborativeBalancerOptions { MostCompared = 0 };
            }));
        thrown.Failures.Count().ShouldBe(3);
        thrown.Message.ShouldContain("BalancerName is 'a b'");
        thrown.Message.ShouldContain("MostWait is '-00:00:01'");
        thrown.Message.ShouldContain("MostCompared must be at least 2");
    }
}
