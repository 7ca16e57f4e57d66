using System.Net;
using System.Net.Sockets;
using AdaptivePool.Admission;
using AdaptivePool.Balancing;
using AdaptivePool.Balancing.Overload;
using AdaptivePool.Hosting.Tests.Apps;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Load;

public sealed class LoadReportingTests
{
    [Theory]
    [InlineData("front", true)]
    [InlineData("stranger", false)]
    [InlineData(null, false)]
    public async Task Answer_ToAKnownBalancerOnly_HasTheLoad(string? balancer, bool isTold)
    {
        await using var app = await StartAsync(it => it.Balancers.Add("front"));
        using var response = await SendAsync(app, balancer);
        response.Headers.TryGetValues(LoadReport.HeaderName, out var values).ShouldBe(isTold);
        if (isTold)
        {
            LoadReport.TryParse(values!.Single(), out var report).ShouldBeTrue();
            report.InFlight.ShouldBe(1, "the request itself");
            report.Point.ShouldBeNull();
        }
    }

    [Fact]
    public async Task Answer_WithoutConfiguredBalancers_TellsNobody()
    {
        await using var app = await StartAsync(static _ => { });
        using var response = await SendAsync(app, "front");
        response.Headers.Contains(LoadReport.HeaderName).ShouldBeFalse();
    }

    [Fact]
    public async Task Reports_OneAfterTheOther_HaveRisingNumbersOfOneRun()
    {
        await using var app = await StartAsync(it => it.Balancers.Add("front"));
        List<LoadReport> reports = [];
        for (var i = 0; i < 5; i++)
        {
            using var response = await SendAsync(app, "front");
            LoadReport.TryParse(response.Headers.GetValues(LoadReport.HeaderName).Single(), out var report).ShouldBeTrue();
            reports.Add(report);
        }

        reports.Select(it => it.Run).Distinct().Count().ShouldBe(1);
        reports.Select(it => it.Sequence).ShouldBeInOrder();
        reports.Select(it => it.Sequence).Distinct().Count().ShouldBe(5);
    }

    [Fact]
    public async Task Run_AfterTheMachineWasStartedAgain_IsHigher()
    {
        var start = new DateTimeOffset(2026, 5, 1, 12, 0, 0, TimeSpan.Zero);
        var before = await RunOfAsync(new StartedClock(TimeSpan.FromDays(100), start));
        (await RunOfAsync(new StartedClock(TimeSpan.FromSeconds(20), start.AddMinutes(1)))).ShouldBe(before + 60_000);

        static async Task<long> RunOfAsync(TimeProvider clock)
        {
            await using var app = await TestApp.StartAsync(
                static app => app.MapLoadReport("/load"),
                builder =>
                {
                    builder.Services.AddSingleton(clock);
                    builder.Services.AddLoadReporting(static _ => { });
                });
            LoadReport.TryParse(await app.Client.GetStringAsync("/load"), out var report).ShouldBeTrue();
            return report.Run;
        }
    }

    [Fact]
    public async Task Overload_OfAFewThreads_IsToldAsTheRateThatTheyCanBear()
    {
        await using var app = await StartAsync(
            it =>
            {
                it.Balancers.Add("front");
                it.Orca = true;
            },
            pool => pool.MaxThreads = 2);
        using var stop = new CancellationTokenSource();
        var clients = Enumerable.Range(0, 16).Select(_ => Task.Run(async () =>
        {
            while (!stop.IsCancellationRequested)
            {
                await app.Client.GetStringAsync("/work");
            }
        })).ToArray();
        var (monitor, meter) = Counted(app);
        SpinWait.SpinUntil(() => monitor.MostInFlight is not null, TestApp.Patience).ShouldBeTrue();

        // Two threads, of which one may be kept for work in flight, 10 ms or more each.
        monitor.Point!.Value.PerSecond.ShouldBeInRange(1, 200);
        monitor.MostInFlight!.Value.ShouldBeInRange(1, 4);
        SpinWait.SpinUntil(() => monitor.AgentLine(1000) == $"up maxconn:{monitor.MostInFlight}\n", TestApp.Patience).ShouldBeTrue();
        using var response = await SendAsync(app, "front");
        response.Headers.GetValues("endpoint-load-metrics").Single().ShouldStartWith("TEXT application_utilization=");
        (await app.Client.GetStringAsync("/load")).ShouldContain("op=");
        stop.Cancel();
        await Task.WhenAll(clients);
        SpinWait.SpinUntil(() => meter.InFlight == 0, TestApp.Patience).ShouldBeTrue();
        meter.Read().Queued.ShouldBe(0);
    }

    [Fact]
    public async Task Requests_RefusedFailedOrAborted_LeaveNothingInTheMeter()
    {
        await using var app = await StartAsync(static _ => { }, static pool => (pool.MaxThreads, pool.MaxQueued) = (1, 1));
        var (_, meter) = Counted(app);
        using var abort = new CancellationTokenSource();
        Task[] requests =
        [
            .. Enumerable.Range(0, 20).Select(i => app.Client.GetAsync(i % 2 == 0 ? "/work" : "/fail", abort.Token)),
        ];
        await requests[0].WaitAsync(TestApp.Patience).ContinueWith(static _ => { }, TaskScheduler.Default);
        abort.Cancel();
        await Task.WhenAll(requests).ContinueWith(static _ => { }, TaskScheduler.Default);
        SpinWait.SpinUntil(() => meter.InFlight == 0, TestApp.Patience).ShouldBeTrue();
        meter.Read().Queued.ShouldBe(0);
        meter.Read().AverageWait.ShouldBe(TimeSpan.Zero);
    }

    [Fact]
    public async Task Requests_RefusedOrGivenUp_AreNoWork()
    {
        // They counted as the fastest work there is: 1,554 per second were told of a backend that could serve 59.
        await using var app = await StartAsync(static _ => { });
        var (_, meter) = Counted(app);
        for (var i = 0; i < 10; i++)
        {
            using var refused = await app.Client.GetAsync("/busy");
            refused.StatusCode.ShouldBe(HttpStatusCode.ServiceUnavailable);
        }

        using var served = await app.Client.GetAsync("/work");
        SpinWait.SpinUntil(() => meter.Read() is { Completed: 1, Arrived: 1, Queued: 0 } && meter.InFlight == 0, TestApp.Patience).ShouldBeTrue();
    }

    [Fact]
    public async Task Use_Twice_CountsOnce()
    {
        await using var app = await TestApp.StartAsync(
            static app =>
            {
                app.UseLoadReporting();
                app.UseLoadReporting();
                app.MapGet("/in-flight", static (QueueMeter meter) => meter.InFlight);
            },
            static builder => builder.Services.AddLoadReporting(static _ => { }));

        (await app.Client.GetStringAsync("/in-flight")).ShouldBe("1");
    }

    [Fact]
    public async Task Use_AfterThePool_DoesNotStart()
    {
        // No wait was seen there: an overloaded backend told that it was not.
        var thrown = await Should.ThrowAsync<InvalidOperationException>(() => StartBehindPoolAsync("true", static _ => { }));
        thrown.Message.ShouldContain("call 'app.UseLoadReporting()' before 'app.UseAdaptivePool()'");
    }

    [Fact]
    public async Task Use_AfterThePoolAndBeforeIt_CountsAtTheFirstPlace()
    {
        await using var app = await StartBehindPoolAsync("true", static app => app.UseLoadReporting());
        (await app.Client.GetStringAsync("/in-flight")).ShouldBe("1");
    }

    [Fact]
    public async Task Use_AfterThePoolThatIsSwitchedOff_CountsAll()
    {
        await using var app = await StartBehindPoolAsync("false", static _ => { });
        (await app.Client.GetStringAsync("/in-flight")).ShouldBe("1");
    }

    [Theory]
    [InlineData(true, 0)]
    [InlineData(false, 1)]
    public async Task Use_Missing_IsTold(bool isUsed, int lines)
    {
        var log = new RecordedLog();
        await using var app = await TestApp.StartAsync(
            app =>
            {
                if (isUsed)
                {
                    app.UseLoadReporting();
                }

                app.MapGet("/", static () => "done");
            },
            builder =>
            {
                builder.Logging.AddProvider(log);
                builder.Services.AddLoadReporting(static _ => { });
            });
        log.Lines.Count(static line => line.Event == "NoLoadReporting").ShouldBe(lines);
        log.Lines.ShouldNotContain(static line => line.Event == "NoServerForLoadReporting");
    }

    [Fact]
    public async Task Requests_OfADisposedPool_DoNotWait()
    {
        await using var app = await StartAsync(static _ => { });
        var (_, meter) = Counted(app);
        await app.Pool.DisposeAsync();
        (await app.Client.GetStringAsync("/queued")).ShouldBe("0");
        meter.Read().Queued.ShouldBe(0);
    }

    [Fact]
    public async Task Requests_ThatWaitAtAGate_CountAsWaiting()
    {
        await using var app = await TestApp.StartAsync(
            static app =>
            {
                app.UseLoadReporting();
                app.UseAdaptivePool();
                app.MapGet("/gated", static () => "done").RequireTransactionGate("bank");
            },
            static builder =>
            {
                builder.Services.AddAdaptivePool();
                builder.Services.AddLoadReporting(static _ => { });
                builder.Services.AddTransactionGate("bank", static it => it.PermitLimit = 1);
            });
        var (_, meter) = Counted(app);
        var gate = app.Application.Services.GetRequiredKeyedService<TransactionGate>("bank");
        var inside = gate.AttemptAcquire();
        using var abort = new CancellationTokenSource();
        Task[] requests = [.. Enumerable.Range(0, 4).Select(i => app.Client.GetStringAsync("/gated", i == 0 ? abort.Token : default))];
        SpinWait.SpinUntil(() => meter.Read().Queued == 4, TestApp.Patience).ShouldBeTrue();
        abort.Cancel();
        SpinWait.SpinUntil(() => meter.Read().Queued == 3, TestApp.Patience).ShouldBeTrue("one has gone");
        inside.Dispose();
        await Task.WhenAll(requests[1..]).WaitAsync(TestApp.Patience);
        SpinWait.SpinUntil(() => meter.InFlight == 0, TestApp.Patience).ShouldBeTrue();
        meter.Read().Queued.ShouldBe(0);
    }

    [Fact]
    public async Task Agent_WhoeverConnects_IsWrittenOneLine()
    {
        var free = new TcpListener(IPAddress.Loopback, 0);
        free.Start();
        var agent = (IPEndPoint)free.LocalEndpoint;
        free.Stop();
        await using var app = await StartAsync(it => (it.AgentPort, it.AgentMaxConnections) = (agent.Port, 77));

        // One that connects and leaves at once must not end it.
        using (var rude = new TcpClient())
        {
            await rude.ConnectAsync(agent);
        }

        for (var i = 0; i < 3; i++)
        {
            using var client = new TcpClient();
            await client.ConnectAsync(agent);
            using var reader = new StreamReader(client.GetStream());
            (await reader.ReadToEndAsync()).ShouldBe("up maxconn:77\n");
        }
    }

    [Fact]
    public async Task Agent_PortInUse_FailsTheStartAndNamesIt()
    {
        var taken = new TcpListener(IPAddress.Loopback, 0);
        taken.Start();
        var port = ((IPEndPoint)taken.LocalEndpoint).Port;
        var thrown = await Should.ThrowAsync<InvalidOperationException>(() => StartAsync(it => it.AgentPort = port));
        thrown.Message.ShouldContain($"AgentPort {port}");
        taken.Stop();
    }

    [Fact]
    public async Task Options_OutOfRange_FailTheStartAndAreNamed()
    {
        var thrown = await Should.ThrowAsync<OptionsValidationException>(() => StartAsync(static it =>
        {
            it.Balancers.Add("a");
            it.Balancers.Add("a");
            it.Rule = (OverloadRule)9;
            it.WaitTarget = TimeSpan.Zero;
            it.AgentPort = 70_000;
            it.AgentAddress = null!;
            it.AgentMaxConnections = 0;
        }));
        thrown.Failures.ShouldBe(
        [
            "LoadReporting: Balancers is 'a,a'; allowed: names of ASCII letters and digits, each once.",
            "LoadReporting: Rule is '9'; allowed: Target or Growth.",
            "LoadReporting: WaitTarget is '00:00:00'; allowed: above zero.",
            "LoadReporting: AgentPort is '70000'; allowed: 1 to 65535.",
            "LoadReporting: AgentAddress is ''; allowed: an address of this machine.",
            "LoadReporting: AgentMaxConnections is '0'; allowed: at least 1.",
        ]);
    }

    private static Task<TestApp> StartBehindPoolAsync(string enabled, Action<WebApplication> before) => TestApp.StartAsync(
        app =>
        {
            before(app);
            app.UseAdaptivePool();
            app.UseLoadReporting();
            app.MapGet("/in-flight", static (QueueMeter meter) => meter.InFlight);
        },
        static builder =>
        {
            builder.Services.AddAdaptivePool();
            builder.Services.AddLoadReporting(static _ => { });
        },
        [new("AdaptivePool:Enabled", enabled)]);

    [Theory]
    [InlineData("front-1")]
    [InlineData("front one")]
    [InlineData("")]
    public async Task Options_NameThatNoBalancerMayHave_FailsTheStartAndIsNamed(string name) =>
        (await Should.ThrowAsync<OptionsValidationException>(() => StartAsync(it => it.Balancers.Add(name)))).Message
            .ShouldBe($"LoadReporting: Balancers is '{name}'; allowed: names of ASCII letters and digits, each once.");

    [Fact]
    public void Use_WithoutServices_SaysWhatIsMissing()
    {
        using var app = TestApp.Build(static _ => { });
        Should.Throw<InvalidOperationException>(() => app.UseLoadReporting()).Message.ShouldContain("AddLoadReporting");
    }

    private static (OverloadMonitor Monitor, QueueMeter Meter) Counted(TestApp app) =>
        (app.Application.Services.GetRequiredService<OverloadMonitor>(), app.Application.Services.GetRequiredService<QueueMeter>());

    private static Task<HttpResponseMessage> SendAsync(TestApp app, string? balancer)
    {
        var request = new HttpRequestMessage(HttpMethod.Get, "/work");
        if (balancer is not null)
        {
            request.Headers.Add(LoadReport.BalancerHeaderName, balancer);
        }

        return app.Client.SendAsync(request);
    }

    private static Task<TestApp> StartAsync(Action<LoadReportingOptions> configure, Action<AdaptivePoolOptions>? pool = null) => TestApp.StartAsync(
        app =>
        {
            app.UseLoadReporting();
            app.UseAdaptivePool();
            app.MapGet("/work", static () =>
            {
                Thread.Sleep(10);
                return "done";
            });
            app.MapGet("/queued", static (QueueMeter meter) => meter.Read().Queued);
            app.MapGet("/busy", static () => Results.StatusCode(StatusCodes.Status503ServiceUnavailable));
            app.MapGet("/fail", static string () => throw new InvalidOperationException("wanted"));
            app.MapLoadReport("/load");
        },
        builder =>
        {
            builder.Services.AddAdaptivePool(pool ?? (static _ => { }));
            builder.Services.AddLoadReporting(configure);
        });

    /// <summary>A clock of a machine that has run for a while; neither of its times goes on.</summary>
    private sealed class StartedClock(TimeSpan upFor, DateTimeOffset now) : TimeProvider
    {
        public override DateTimeOffset GetUtcNow() => now;

        public override long GetTimestamp() => upFor.Ticks;
    }
}
