using AdaptivePool.Hosting.Tests.Apps;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.TestHost;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Requests;

public sealed class PoolLifetimeTests
{
    private static readonly TimeSpan s_hostsTime = TimeSpan.FromSeconds(30);

    [Fact]
    public async Task Pool_HostStopsWithRequestInFlight_IsDisposedAfterIt()
    {
        using var entered = new SemaphoreSlim(0);
        using var release = new ManualResetEventSlim();
        var app = await TestApp.StartAsync(it =>
        {
            it.UseAdaptivePool();
            it.MapGet("/", async () =>
            {
                entered.Release();
                release.Wait();
                await Task.Yield();
                return Whereabouts.Here();
            });
        });
        var pool = app.Pool;

        var request = app.GetAsync("/");
        (await entered.WaitAsync(TestApp.Patience)).ShouldBeTrue();
        var stopping = app.Application.StopAsync();
        app.Application.Lifetime.ApplicationStopping.IsCancellationRequested.ShouldBeTrue();
        (await pool.Run(Whereabouts.Here).WaitAsync(TestApp.Patience)).ShouldBe(Whereabouts.Pool);
        release.Set();

        (await request).ShouldBe(Whereabouts.Pool);
        await stopping.WaitAsync(TestApp.Patience);
        (await pool.Run(Whereabouts.Here).WaitAsync(TestApp.Patience)).ShouldBe(Whereabouts.Pool);
        await app.Application.DisposeAsync().AsTask().WaitAsync(TestApp.Patience);
        Should.Throw<ObjectDisposedException>(() => pool.UnsafeQueueUserWorkItem(new NothingToDo(), preferLocal: false));
        app.Client.Dispose();
    }

    [Fact]
    public async Task Pool_DisposedWhileTheServerRuns_RequestsRunOnRuntimePool()
    {
        await using var app = await TestApp.StartAsync(it =>
        {
            it.UseAdaptivePool();
            it.MapGet("/", Whereabouts.Here);
        });
        (await app.GetAsync("/")).ShouldBe(Whereabouts.Pool);
        var open = app.Pool.GetClass("GET /").CountConnections.ShouldNotBeNull();

        await app.Pool.DisposeAsync();

        (await app.GetAsync("/")).ShouldBe(Whereabouts.Runtime);
        (await app.GetAsync("/")).ShouldBe(Whereabouts.Runtime);
        open().ShouldBe(0);
    }

    [Fact]
    public async Task Pool_Container_InjectsOnePoolWithItsSchedulerAndFactory()
    {
        await using var app = await TestApp.StartAsync(it => it.UseAdaptivePool());
        var services = app.Application.Services;

        services.GetRequiredService<AdaptiveThreadPool>().ShouldBeSameAs(app.Pool);
        services.GetRequiredService<AdaptiveTaskScheduler>().ShouldBeSameAs(app.Pool.Scheduler);
        services.GetRequiredService<TaskFactory>().ShouldBeSameAs(app.Pool.Factory);
    }

    [Fact]
    public async Task Pool_DrainTimeoutNotSet_IsTheHostsShutdownTimeout()
    {
        await using var usual = TestApp.Build(static _ => { });
        await using var shorter = TestApp.Build(
            static _ => { },
            static builder => builder.Services.AddAdaptivePool().Configure<HostOptions>(static options => options.ShutdownTimeout = TimeSpan.FromSeconds(7)));
        await using var configured = TestApp.Build(static _ => { }, settings: [new("AdaptivePool:DrainTimeout", "Infinite")]);

        usual.Services.GetRequiredService<IOptions<AdaptivePoolOptions>>().Value.DrainTimeout.ShouldBe(TimeSpan.FromSeconds(30));
        shorter.Services.GetRequiredService<IOptions<AdaptivePoolOptions>>().Value.DrainTimeout.ShouldBe(TimeSpan.FromSeconds(7));
        configured.Services.GetRequiredService<IOptions<AdaptivePoolOptions>>().Value.DrainTimeout.ShouldBe(Timeout.InfiniteTimeSpan);
    }

    [Fact]
    public async Task Pools_DrainTimeoutNotSet_HaveTheTimeOfTheHostTogether()
    {
        await using var app = TestApp.Build(
            static _ => { }, static builder => builder.Services.AddAdaptivePool("reports").AddAdaptivePool("mail", static it => it.DrainTimeout = s_hostsTime));
        var options = app.Services.GetRequiredService<IOptionsMonitor<AdaptivePoolOptions>>();

        options.CurrentValue.StoppingToken.ShouldBe(app.Lifetime.ApplicationStopping);
        options.Get("reports").StoppingToken.ShouldBe(app.Lifetime.ApplicationStopping);
        options.Get("mail").StoppingToken.ShouldBe(CancellationToken.None, "a timeout that is set counts from the disposal, whatever its value");
    }

    [Fact]
    public async Task StoppingToken_SetInCode_IsKept()
    {
        using var own = new CancellationTokenSource();
        var token = own.Token;
        await using var app = TestApp.Build(static _ => { }, builder => builder.Services.AddAdaptivePool(it => it.StoppingToken = token));

        app.Services.GetRequiredService<IOptions<AdaptivePoolOptions>>().Value.StoppingToken.ShouldBe(token);
    }

    [Fact]
    public async Task UseAdaptivePool_UnderTestServer_RunsOnWorker()
    {
        await using var application = TestApp.Build(
            static it =>
            {
                it.UseAdaptivePool();
                it.MapGet("/", async () =>
                {
                    await Task.Yield();
                    return Whereabouts.Here();
                });
            },
            static builder =>
            {
                builder.Services.AddAdaptivePool();
                builder.WebHost.UseTestServer();
            });
        await application.StartAsync();
        using var client = application.GetTestClient();

        (await client.GetStringAsync(new Uri("/", UriKind.Relative))).ShouldBe(Whereabouts.Pool);
    }

    [Fact]
    public async Task KillSwitch_Set_RequestsRunOnRuntimePoolAndNoPoolIsCreated()
    {
        await using var app = await TestApp.StartAsync(
            static it =>
            {
                it.UseAdaptivePool();
                it.MapGet("/", Whereabouts.Here).RunOnAdaptivePool("reports");
            },
            static builder =>
            {
                builder.Services.AddAdaptivePool();
                builder.Services.Replace(
                    ServiceDescriptor.Singleton<AdaptiveThreadPool>(static _ => throw new InvalidOperationException("a pool was asked for")));
            },
            [new("AdaptivePool:Enabled", "false"), new("AdaptivePool:MinThreads", "0")]);

        (await app.GetAsync("/")).ShouldBe(Whereabouts.Runtime);
    }

    [Theory]
    [InlineData("AdaptivePool:MaxThreads", "0")]
    [InlineData("AdaptivePool:HillClimbing:MaxUpRatio", "-1")]
    public async Task KillSwitch_Set_AMistakeInTheSectionKeepsNoPoolFromCodeThatWantsOne(string key, string value)
    {
        await using var app = await TestApp.StartAsync(
            static it =>
            {
                it.UseAdaptivePool();
                it.MapGet("/", static (AdaptiveThreadPool pool) => pool.Run(static () => "done"));
            },
            static builder => builder.Services.AddAdaptivePool(),
            [new("AdaptivePool:Enabled", "false"), new(key, value)]);

        (await app.GetAsync("/")).ShouldBe("done");
    }

    [Fact]
    public async Task KillSwitch_SetInCode_RequestsRunOnRuntimePool()
    {
        await using var app = await TestApp.StartAsync(
            static it =>
            {
                it.UseAdaptivePool();
                it.MapGet("/", Whereabouts.Here);
            },
            static builder => builder.Services.AddAdaptivePool().Configure<AdaptivePoolHostingOptions>(static options => options.Enabled = false));

        (await app.GetAsync("/")).ShouldBe(Whereabouts.Runtime);
    }

    [Fact]
    public void UseAdaptivePool_WithoutAddAdaptivePool_SaysWhatToCall()
    {
        var exception = Should.Throw<InvalidOperationException>(() => TestApp.Build(static it => it.UseAdaptivePool(), static _ => { }));

        exception.Message.ShouldContain("AddAdaptivePool()");
    }

    [Fact]
    public async Task Start_EndpointNamesAClassButMiddlewareIsMissing_SaysWhatToCall()
    {
        await using var application = TestApp.Build(static it => it.MapGet("/reports", Whereabouts.Here).RunOnAdaptivePool("reports"));

        var exception = await Should.ThrowAsync<InvalidOperationException>(() => application.StartAsync());

        exception.Message.ShouldContain("/reports");
        exception.Message.ShouldContain("app.UseAdaptivePool()");
    }

    [Theory]
    [InlineData("true", false)]
    [InlineData("false", true)]
    public async Task Start_MiddlewareIsMissing_IsNoMistakeWithoutMetadataOrWithTheKillSwitch(string enabled, bool named)
    {
        await using var app = await TestApp.StartAsync(
            it =>
            {
                var endpoint = it.MapGet("/", Whereabouts.Here);
                if (named)
                {
                    endpoint.RunOnAdaptivePool("reports");
                }
            },
            settings: [new("AdaptivePool:Enabled", enabled)]);

        (await app.GetAsync("/")).ShouldBe(Whereabouts.Runtime);
    }

    private sealed class NothingToDo : IThreadPoolWorkItem
    {
        public void Execute()
        {
        }
    }
}
