using System.Diagnostics;
using System.Net;
using AdaptivePool.Balancing;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
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
        proxy.Count("forged").ShouldBe(2);
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
        proxy.Log.Lines.Single().ShouldStartWith("Debug: Cluster 'backends' refused a request: all of its 2 destinations are at their limit. Retry-After is ");
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
    public async Task AllAtTheirLimit_WhoEndsTheWaitSaysHowTheRequestEnds()
    {
        // As UseRequestTimeouts() does. It was 499, which says that the client has gone.
        await using ProxyFixture proxy = await ProxyFixture.StartAsync(
            CollaborativePolicies.Collaborative, it => it.MostWait = TimeSpan.FromHours(1), backends: 1, map: app =>
            {
                app.Use(async (context, next) =>
                {
                    using CancellationTokenSource timeout = new(TimeSpan.FromSeconds(context.Request.Path == "/short" ? 0.1 : 60));
                    context.RequestAborted = timeout.Token;
                    try
                    {
                        await next(context);
                    }
                    catch (OperationCanceledException) when (timeout.IsCancellationRequested)
                    {
                        context.Response.StatusCode = StatusCodes.Status504GatewayTimeout;
                    }
                });
                app.UseRouting();
                app.MapReverseProxy(pipeline => pipeline.UseAdaptivePoolLoadBalancing());
            });
        proxy.Backends[0].Report = $"run=1; seq=1; {NearlyNothing}";
        await proxy.Client.GetStringAsync("/");
        await proxy.Client.GetStringAsync("/");
        using HttpResponseMessage late = await proxy.Client.GetAsync("/short");
        late.StatusCode.ShouldBe(HttpStatusCode.GatewayTimeout);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Destination_WithAnotherAddress_BeginsAnew(bool waits)
    {
        // Another machine, whose process may have been started before that of the one before: none of its reports was taken then.
        await using ProxyFixture proxy = await ProxyFixture.StartAsync(
            CollaborativePolicies.Collaborative, it => it.MostWait = TimeSpan.FromMilliseconds(1), waits, backends: 1);
        await using ReportingBackend other = await ReportingBackend.StartAsync();
        proxy.Backends[0].Report = $"run=2; seq=1; {NearlyNothing}";
        other.Report = "run=1; seq=1; op=1000000";
        await proxy.SendAsync(2);
        proxy.Observe("overload_point").ShouldBe(0.001);
        proxy.Move(other.Url);
        for (int i = 0; i < 10; i++)
        {
            (await proxy.Client.GetStringAsync("/")).ShouldBe("ok");
        }

        other.Requests.ShouldBe(10);
        proxy.Observe("overload_point").ShouldBe(1_000_000);
        proxy.Count("reports.stale").ShouldBe(0);
    }

    [Fact]
    public async Task Destination_GetsAnotherAddressWhileRequestsWait_TheyEndWhereTheyWereCounted()
    {
        await using ProxyFixture proxy = await ProxyFixture.StartAsync(
            CollaborativePolicies.Collaborative, it => it.MostWait = TimeSpan.FromSeconds(30), waits: true, backends: 1);
        await using ReportingBackend other = await ReportingBackend.StartAsync();
        proxy.Backends[0].Report = "run=1; seq=1; op=2";
        await proxy.SendAsync(2);
        Task<string>[] requests = [.. Enumerable.Range(0, 8).Select(_ => proxy.Client.GetStringAsync("/"))];
        await Task.WhenAny(requests);
        proxy.Move(other.Url);

        (await Task.WhenAll(requests)).ShouldAllBe(static text => text == "ok");

        other.Requests.ShouldBeGreaterThan(0, "some were still waiting");
        SpinWait.SpinUntil(() => proxy.Observe("in_flight") == 0, TimeSpan.FromSeconds(30)).ShouldBeTrue();
    }

    [Theory]
    [InlineData(CollaborativePolicies.Collaborative)]
    [InlineData(CollaborativePolicies.CollaborativeRoundRobin)]
    public async Task DeadBackend_CostsNoRequest(string policy)
    {
        await using ProxyFixture proxy = await ProxyFixture.StartAsync(policy, waits: true, backends: 3);
        await proxy.SendToAllAsync();
        await proxy.Backends[1].DisposeAsync();
        for (int i = 0; i < 40; i++)
        {
            // With a body: nothing of it has been sent to the dead one.
            using StringContent content = new("a transfer");
            using HttpResponseMessage response = await proxy.Client.PostAsync("/", content);
            response.StatusCode.ShouldBe(HttpStatusCode.OK);
        }

        SpinWait.SpinUntil(() => proxy.Observe("in_flight") == 0, TimeSpan.FromSeconds(30)).ShouldBeTrue();
    }

    [Fact]
    public async Task DeadBackend_WithoutTheWait_IsLeftAlone()
    {
        // YARP chooses once: the request that finds out is lost, and the others are not. The dead one has the least work of all.
        await using ProxyFixture proxy = await ProxyFixture.StartAsync(CollaborativePolicies.Collaborative);
        await proxy.SendToAllAsync();
        await proxy.Backends[1].DisposeAsync();
        Stopwatch time = Stopwatch.StartNew();
        int lost = 0;
        for (int i = 0; i < 40; i++)
        {
            using HttpResponseMessage response = await proxy.Client.GetAsync("/");
            lost += response.StatusCode == HttpStatusCode.BadGateway ? 1 : 0;
        }

        // It is tried again each second.
        lost.ShouldBeLessThanOrEqualTo(1 + (int)time.Elapsed.TotalSeconds);
    }

    /// <summary>One that takes connections and answers nothing, and one where connecting itself has no answer.</summary>
    [Theory]
    [InlineData(true, CollaborativePolicies.Collaborative)]
    [InlineData(false, CollaborativePolicies.Collaborative)]
    [InlineData(true, CollaborativePolicies.CollaborativeRoundRobin)]
    public async Task SilentBackend_IsNoticedAndLeftAlone(bool connects, string policy)
    {
        using SilentServer silent = await SilentServer.StartAsync(connects);
        await using ProxyFixture proxy = await ProxyFixture.StartAsync(policy, waits: true, more: [silent.Url]);
        using CancellationTokenSource end = new();
        List<Task> hanging = [];

        // Each is one that it may have got; those that it has not got are answered.
        int answered = 0;
        while (answered < 30)
        {
            Task<string> request = proxy.Client.GetStringAsync("/", end.Token);
            bool isAnswered = await Task.WhenAny(request, Task.Delay(TimeSpan.FromSeconds(1))) == request;
            answered = isAnswered ? answered + 1 : 0;
            if (!isAnswered)
            {
                hanging.Add(request);
            }
        }

        hanging.Count.ShouldBeInRange(1, 10);
        await end.CancelAsync();
        await Should.ThrowAsync<OperationCanceledException>(() => Task.WhenAll(hanging));
        SpinWait.SpinUntil(() => proxy.Observe("in_flight") == 0, TimeSpan.FromSeconds(30)).ShouldBeTrue();
    }

    [Theory]
    [InlineData("GET", HttpStatusCode.OK)]
    [InlineData("POST", HttpStatusCode.GatewayTimeout)]
    public async Task SilentBackend_ConnectTimesOut_CostsNoSafeRequest(string method, HttpStatusCode wanted)
    {
        using SilentServer silent = await SilentServer.StartAsync(connects: false);
        await using ProxyFixture proxy = await ProxyFixture.StartAsync(
            CollaborativePolicies.Collaborative, waits: true, backends: 1, more: [silent.Url], connectTimeout: TimeSpan.FromSeconds(1));
        Stopwatch time = Stopwatch.StartNew();
        List<HttpStatusCode> answers = [];
        for (int i = 0; i < 20; i++)
        {
            using HttpRequestMessage request = new(new HttpMethod(method), "/") { Content = method == "POST" ? new StringContent("a transfer") : null };
            using HttpResponseMessage response = await proxy.Client.SendAsync(request);
            answers.Add(response.StatusCode);
        }

        proxy.Observe("admitted").ShouldBeGreaterThanOrEqualTo(method == "POST" ? 20 : 21, "the silent one was tried");
        answers.Distinct().ShouldBeSubsetOf([HttpStatusCode.OK, wanted]);

        // It is tried again each second.
        answers.Count(static it => it != HttpStatusCode.OK).ShouldBeLessThanOrEqualTo(1 + (int)time.Elapsed.TotalSeconds);
    }

    [Fact]
    public async Task AllBackendsDead_AreAnsweredWith502()
    {
        await using ProxyFixture proxy = await ProxyFixture.StartAsync(CollaborativePolicies.Collaborative, waits: true);
        await proxy.Backends[0].DisposeAsync();
        await proxy.Backends[1].DisposeAsync();
        for (int i = 0; i < 4; i++)
        {
            using HttpResponseMessage response = await proxy.Client.GetAsync("/");
            response.StatusCode.ShouldBe(HttpStatusCode.BadGateway);
        }

        SpinWait.SpinUntil(() => proxy.Observe("in_flight") == 0, TimeSpan.FromSeconds(30)).ShouldBeTrue();
    }

    [Theory]
    [InlineData(true, CollaborativePolicies.Collaborative)]
    [InlineData(false, CollaborativePolicies.Collaborative)]
    [InlineData(true, CollaborativePolicies.CollaborativeRoundRobin)]
    [InlineData(true, "RoundRobin")]
    public async Task NoBackend_IsAnsweredWith503(bool waits, string policy)
    {
        await using ProxyFixture proxy = await ProxyFixture.StartAsync(policy, waits: waits, backends: 0);
        using HttpResponseMessage response = await proxy.Client.GetAsync("/");
        response.StatusCode.ShouldBe(HttpStatusCode.ServiceUnavailable);
        proxy.Count("shed").ShouldBe(0);
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
        proxy.Count("reports.unasked").ShouldBe(10);
        proxy.Count("reports.taken").ShouldBe(0);
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
        thrown.Message.ShouldContain("MostCompared is '0'; allowed: at least 2");
    }

    [Fact]
    public async Task Options_OfAPolicyNullOrOutOfRange_FailTheStartAndAreNamed()
    {
        OptionsValidationException thrown = await Should.ThrowAsync<OptionsValidationException>(() => ProxyFixture.StartAsync(
            CollaborativePolicies.Collaborative,
            it =>
            {
                it.Collaborative = null!;
                it.RoundRobin = new CollaborativeRoundRobinOptions { Step = (RateStep)9 };
            }));
        thrown.Failures.ShouldBe(
        [
            "Collaborative load balancing: Collaborative is null; allowed: settings of the policy.",
            "Collaborative load balancing: RoundRobin: Step is '9'; allowed: EachPoint or FirstPoint.",
        ]);
    }
}
