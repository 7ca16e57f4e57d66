using AdaptivePool.Hosting.Tests.Apps;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Requests;

public sealed class NamedPoolTests
{
    private const string InFlight = "(in flight)";

    [Fact]
    public async Task RunOnAdaptivePool_Pool_RunsThereAsTheClassNamed()
    {
        await using var app = await TestApp.StartAsync(
            static it =>
            {
                it.UseAdaptivePool();
                it.MapGet("/plain", Here);
                it.MapGet("/own", Here).RunOnAdaptivePool(pool: "reports");
                it.MapGet("/class", Here).RunOnAdaptivePool("heavy", pool: "reports");
                it.MapGet("/attribute", [RunOnAdaptivePool("heavy", Pool = "reports")] () => Here());
                it.MapGet("/last", Here).RunOnAdaptivePool("heavy", pool: "reports").RunOnAdaptivePool("light");
                it.MapGroup("/group").RunOnAdaptivePool(pool: "reports").MapGet("/inner", Here);
            },
            static builder => builder.Services.AddAdaptivePool("reports"));
        var reports = app.Application.Services.GetRequiredKeyedService<AdaptiveThreadPool>("reports");

        (await app.GetAsync("/plain")).ShouldBe("default");
        (await app.GetAsync("/own")).ShouldBe("reports");
        (await app.GetAsync("/class")).ShouldBe("reports");
        (await app.GetAsync("/attribute")).ShouldBe("reports");
        (await app.GetAsync("/last")).ShouldBe("default");
        (await app.GetAsync("/group/inner")).ShouldBe("reports");
        Classes(reports).ShouldBe(["GET /own", "heavy", "GET /group/inner"], ignoreOrder: true);
        Classes(app.Pool).ShouldBe(["GET /plain", "light"], ignoreOrder: true);
    }

    [Fact]
    public async Task FirstRequests_OfAPoolAtOnce_TellOnceThatItIsInUse()
    {
        // Each of them told it.
        var told = 0;
        using var second = new ManualResetEventSlim();
        var log = new WatchedLog("Enabled", () =>
        {
            // That of the pool without a name is told at the start. The first request of the other one waits here for one that comes meanwhile.
            if (Interlocked.Increment(ref told) == 2)
            {
                second.Wait(TestApp.Patience).ShouldBeTrue();
            }
        });
        await using var app = await TestApp.StartAsync(
            static it =>
            {
                it.UseAdaptivePool();
                it.MapGet("/a", Here).RunOnAdaptivePool(pool: "reports");
                it.MapGet("/b", Here).RunOnAdaptivePool(pool: "reports");
            },
            builder =>
            {
                builder.Services.AddAdaptivePool("reports");
                log.AddTo(builder);
            });

        var first = app.GetAsync("/a");
        SpinWait.SpinUntil(() => Volatile.Read(ref told) == 2, TestApp.Patience).ShouldBeTrue();
        (await app.GetAsync("/b")).ShouldBe("reports");
        second.Set();
        (await first).ShouldBe("reports");
        log.Count.ShouldBe(2);
    }

    [Fact]
    public async Task EveryWorkerOfOnePoolBlocked_RequestsOfAnotherAreAnswered()
    {
        using var open = new ManualResetEventSlim();
        await using var app = await TestApp.StartAsync(
            it =>
            {
                it.UseAdaptivePool();
                it.MapGet("/blocks", () => { open.Wait(); return "at last"; }).RunOnAdaptivePool("slow", pool: "reports");
                it.MapGet("/", Here);
            },
            static builder => builder.Services.AddAdaptivePool("reports", static options => options.MaxThreads = 2));
        Task<string>[] blocked = [.. Enumerable.Range(0, 8).Select(_ => app.GetAsync("/blocks"))];
        var reports = app.Application.Services.GetRequiredKeyedService<AdaptiveThreadPool>("reports");
        SpinWait.SpinUntil(() => reports.GetClass("slow").GetSnapshot() is { Active: >= 1, Queued: >= 6 }, TestApp.Patience).ShouldBeTrue();

        for (int i = 0; i < 50; i++)
        {
            // None where the machine is so slow that its class has become one of guests.
            (await app.GetAsync("/")).ShouldBeOneOf("default", "none");
        }

        blocked.ShouldAllBe(static answer => !answer.IsCompleted);
        open.Set();
        (await Task.WhenAll(blocked)).ShouldAllBe(static answer => answer == "at last");
    }

    [Fact]
    public async Task Start_EndpointNamesAPoolThatDoesNotExist_FailsAndNamesBoth()
    {
        await using var application = TestApp.Build(
            static it =>
            {
                it.UseAdaptivePool();
                it.MapGet("/a", Here).RunOnAdaptivePool(pool: "reprots");
            },
            static builder => builder.Services.AddAdaptivePool("reports").AddAdaptivePool("mail"));

        var exception = await Should.ThrowAsync<InvalidOperationException>(() => application.StartAsync());

        exception.Message.ShouldContain("GET /a");
        exception.Message.ShouldContain("the pool 'reprots', which does not exist; there are: reports, mail.");
    }

    [Fact]
    public async Task Start_EndpointNamesAPoolAndThereIsNone_FailsAndSaysSo()
    {
        await using var application = TestApp.Build(static it =>
        {
            it.UseAdaptivePool();
            it.MapGet("/a", Here).RunOnAdaptivePool(pool: "reports");
        });

        (await Should.ThrowAsync<InvalidOperationException>(() => application.StartAsync())).Message.ShouldContain("there is no named pool");
    }

    [Fact]
    public async Task Start_EndpointNamesAPoolWhileSwitchedOff_RunsOnRuntimePool()
    {
        await using var app = await TestApp.StartAsync(
            static it =>
            {
                it.UseAdaptivePool();
                it.MapGet("/a", Whereabouts.Here).RunOnAdaptivePool(pool: "reports");
            },
            settings: [new("AdaptivePool:Enabled", "false")]);

        (await app.GetAsync("/a")).ShouldBe(Whereabouts.Runtime);
    }

    [Fact]
    public async Task Section_OfTheName_ConfiguresThatPoolAlone()
    {
        await using var app = await TestApp.StartAsync(
            static it => it.UseAdaptivePool(),
            static builder => builder.Services.AddAdaptivePool("reports", static options => options.MinThreads = 2).AddAdaptivePool("mail"),
            [
                new("AdaptivePool:MaxThreads", "9"),
                new("AdaptivePool:Pools:reports:MaxThreads", "5"),
                new("AdaptivePool:Pools:reports:HillClimbing:MaxUpRatio", "1.5"),
                new("AdaptivePool:Pools:mail:Name", "post"),
            ]);
        var options = app.Application.Services.GetRequiredService<IOptionsMonitor<AdaptivePoolOptions>>();

        options.CurrentValue.MaxThreads.ShouldBe(9);
        options.Get("reports").MaxThreads.ShouldBe(5);
        options.Get("reports").MinThreads.ShouldBe(2);
        options.Get("reports").Name.ShouldStartWith("reports");
        options.Get("reports").HillClimbing!.MaxUpRatio.ShouldBe(1.5);
        options.Get("reports").DrainTimeout.ShouldBe(options.CurrentValue.DrainTimeout);
        options.Get("mail").MaxThreads.ShouldBe(AdaptivePoolOptions.DefaultMaxThreads);
        options.CurrentValue.HillClimbing.ShouldBeNull();
        app.Application.Services.GetRequiredKeyedService<AdaptiveThreadPool>("mail").Name.ShouldBe("post");
        app.Application.Services.GetRequiredKeyedService<AdaptiveThreadPool>("reports").GetSnapshot().MaxThreads.ShouldBe(5);
    }

    [Theory]
    [InlineData("Pools:reports:MinThreads", "0", "AdaptivePool:Pools:reports:MinThreads is '0'; allowed: 1 to 7 (MaxThreads).")]
    [InlineData("Pools:reprots:MinThreads", "1", "AdaptivePool:Pools:reprots is '(a section)'; allowed: the pools reports.")]
    [InlineData("Pools", "many", "AdaptivePool:Pools is 'many'; allowed: the pools reports.")]
    [InlineData("Pools:reports:HillClimbing:MaxUpRatio", "5", "AdaptivePool:Pools:reports:HillClimbing:MaxUpRatio is '5'; allowed: 1.05 to 4.")]
    public async Task Start_BadKeyOfANamedPool_NamesTheFullKey(string key, string value, string message)
    {
        await using var application = TestApp.Build(
            static it => it.UseAdaptivePool(),
            static builder => builder.Services.AddAdaptivePool("reports"),
            [new($"AdaptivePool:{key}", value), new("AdaptivePool:Pools:reports:MaxThreads", "7")]);

        var exception = await Should.ThrowAsync<OptionsValidationException>(() => application.StartAsync());

        exception.Message.ShouldBe(message);
    }

    [Theory]
    [InlineData("Enabled")]
    [InlineData("Pools")]
    [InlineData("MinThread")]
    public async Task Start_KeyThatANamedPoolDoesNotHave_Fails(string key)
    {
        await using var application = TestApp.Build(
            static it => it.UseAdaptivePool(),
            static builder => builder.Services.AddAdaptivePool("reports"),
            [new($"AdaptivePool:Pools:reports:{key}", "1")]);

        var exception = await Should.ThrowAsync<OptionsValidationException>(() => application.StartAsync());

        exception.Message.ShouldStartWith($"AdaptivePool:Pools:reports:{key} is '1'; allowed: the keys Name, MinThreads,");
    }

    [Fact]
    public async Task Services_OfTheName_BelongToThatPool()
    {
        var services = new ServiceCollection();
        services.AddAdaptivePool("reports", static options => options.MaxThreads = 9);
        services.AddAdaptivePool("reports", static options => options.MaxThreads--);
        await using var provider = services.BuildServiceProvider();
        var pool = provider.GetRequiredKeyedService<AdaptiveThreadPool>("reports");

        pool.ShouldNotBeSameAs(provider.GetRequiredService<AdaptiveThreadPool>());
        pool.GetSnapshot().MaxThreads.ShouldBe(8);
        pool.Name.ShouldStartWith("reports");
        provider.GetRequiredKeyedService<AdaptiveTaskScheduler>("reports").ShouldBeSameAs(pool.Scheduler);
        provider.GetRequiredKeyedService<TaskFactory>("reports").ShouldBeSameAs(pool.Factory);
        services.Count(static descriptor => descriptor.ServiceType == typeof(AdaptiveThreadPool)).ShouldBe(2);
    }

    [Fact]
    public async Task Container_IsDisposed_EndsEachPool()
    {
        var services = new ServiceCollection();
        services.AddAdaptivePool("reports");
        var provider = services.BuildServiceProvider();
        var pool = provider.GetRequiredKeyedService<AdaptiveThreadPool>("reports");

        await provider.DisposeAsync();

        Should.Throw<ObjectDisposedException>(() => { pool.Run(static () => { }); });
    }

    [Theory]
    [InlineData("")]
    [InlineData(" ")]
    [InlineData("a:b")]
    public void AddAdaptivePool_BadName_IsRefused(string name) => Should.Throw<ArgumentException>(() => new ServiceCollection().AddAdaptivePool(name));

    [Theory]
    [InlineData("")]
    [InlineData(" ")]
    public void RunOnAdaptivePool_EmptyPool_Throws(string name) =>
        Should.Throw<ArgumentException>(() => TestApp.Build(it => it.MapGet("/", Here).RunOnAdaptivePool(pool: name)));

    // Other tests have pools of these names at the same time, and a number comes after the name then.
    private static string Here() => AdaptiveThreadPool.Current?.Name.Split('-')[0] ?? "none";

    private static string[] Classes(AdaptiveThreadPool pool) =>
        [.. pool.GetSnapshot().Classes.Where(static it => it.Name != InFlight && it.Name != "default").Select(static it => it.Name)];
}
