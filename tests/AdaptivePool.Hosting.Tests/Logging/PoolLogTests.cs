using AdaptivePool.Admission;
using AdaptivePool.Hosting.Tests.Apps;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Logging;

/// <summary>What the application's log and its health checks say of a pool in trouble.</summary>
public sealed class PoolLogTests
{
    [Fact]
    public async Task Log_FileThatCannotBeWritten_IsAWarning()
    {
        var log = new RecordedLog();
        var file = Path.Combine(Path.GetTempPath(), Guid.NewGuid().ToString("N"), "missing", "decisions.jsonl");
        await using var app = await StartAsync(log, options => options.DecisionLogFile = file);

        app.Pool.Run(static () => { }).Wait(TestApp.Patience).ShouldBeTrue();
        await Task.WhenAll(Enumerable.Range(0, 64).Select(_ => app.Pool.Run(static () => Thread.Sleep(1))));

        Until(() => log.Lines.Any(line => line is (LogLevel.Warning, "Warning", _) && line.Text.Contains(file, StringComparison.Ordinal)));
    }

    [Fact]
    public void Log_FileOfAGateThatCannotBeWritten_IsAWarningThatNamesTheGate()
    {
        var log = new RecordedLog();
        var file = Path.Combine(Path.GetTempPath(), Guid.NewGuid().ToString("N"), "missing", "decisions.jsonl");
        var builder = Host.CreateApplicationBuilder();
        builder.Logging.AddProvider(log);
        builder.Services.AddTransactionGate("ledger", options => (options.Adaptive, options.DecisionLogFile) = (true, file));
        using var host = builder.Build();

        host.Services.GetRequiredKeyedService<TransactionGate>("ledger");

        Until(() => log.Lines.Any(static line => line.Event == "GateWarning"));
        var (level, _, text) = log.Lines.Single(static line => line.Event == "GateWarning");
        level.ShouldBe(LogLevel.Warning);
        text.ShouldStartWith("Transaction gate 'ledger': ");
        text.ShouldContain(file);
    }

    [Fact]
    public async Task Log_FaultOfAnItem_IsLoggedOnceAlthoughContainerAndMiddlewareFollowThePool()
    {
        var log = new RecordedLog();
        await using var app = await StartAsync(log);

        app.Pool.UnsafeQueueUserWorkItem(new Broken(), preferLocal: false);

        Until(() => log.Lines.Any(static line => line.Event == "Fault"));
        log.Lines.Count(static line => line.Event == "Fault").ShouldBe(1);
    }

    [Fact]
    public async Task Log_OfAnApplicationThatHasEnded_IsToldNothingOfAPoolThatLivesOn()
    {
        // It kept the application in memory, and its log was written to after its end.
        var (ended, lives) = (new RecordedLog(), new RecordedLog());
        await using var pool = new AdaptiveThreadPool();
        await using (await StartWithAsync(pool, ended))
        {
        }

        await using var app = await StartWithAsync(pool, lives);
        var lines = ended.Lines.Count;
        pool.UnsafeQueueUserWorkItem(new Broken(), preferLocal: false);

        Until(() => lives.Lines.Any(static line => line.Event == "Fault"));
        ended.Lines.Count.ShouldBe(lines);

        static Task<TestApp> StartWithAsync(AdaptiveThreadPool pool, RecordedLog log) => TestApp.StartAsync(
            static it => it.UseAdaptivePool(),
            builder =>
            {
                builder.Logging.AddProvider(log);
                builder.Services.AddSingleton(pool).AddAdaptivePool();
            });
    }

    [Fact]
    public async Task ElasticPart_FaultAndDeadlock_AreLoggedUnderItsNameAndUnhealthy()
    {
        var log = new RecordedLog();
        await using var app = await StartAsync(log, static options =>
        {
            options.Name = "vault";
            options.MaxThreads = 2;
            options.DeadlockTimeout = TimeSpan.FromMilliseconds(300);
        });
        app.Pool.Elastic.UnsafeQueueUserWorkItem(new Broken(), preferLocal: false);
        Until(() => log.Lines.Any(static line => line.Event == "Fault" && line.Text.Contains("'vault elastic'", StringComparison.Ordinal)));

        using var open = new ManualResetEventSlim();
        var items = Enumerable.Range(0, 4).Select(_ => app.Pool.Elastic.Run(() => LegacyCall(open))).ToList();
        try
        {
            Until(() => log.Lines.Any(static line => line.Event == "Deadlock"));
            log.Lines.First(static line => line.Event == "Deadlock").Text.ShouldStartWith("Pool 'vault elastic': Deadlock: ");
            var entry = DirectCheck.Check(app);
            entry.Status.ShouldBe(HealthStatus.Unhealthy);
            entry.Description.ShouldNotBeNull().ShouldStartWith("Pool 'vault elastic' is deadlocked");
        }
        finally
        {
            open.Set();
        }

        await Task.WhenAll(items).WaitAsync(TestApp.Patience);
    }

    [Fact]
    public async Task Starved_MostWorkersBlocked_IsLoggedAndDegraded_AndADeadlockIsCriticalAndUnhealthyUntilItEnds()
    {
        var log = new RecordedLog();
        await using var app = await StartAsync(log, static options =>
        {
            options.Name = "bank";
            options.MaxThreads = 3;
            options.BlockingReportInterval = TimeSpan.FromMilliseconds(100);

            // Degraded is to be seen before it.
            options.DeadlockTimeout = TimeSpan.FromSeconds(10);
        });
        using var open = new ManualResetEventSlim();
        var items = Enumerable.Range(0, 2).Select(_ => app.Pool.Run(() => LegacyCall(open))).ToList();
        try
        {
            // While nothing waits, nothing is told.
            Until(() => app.Pool.GetSnapshot().Blocked == 2);
            items.AddRange(Enumerable.Range(0, 8).Select(_ => app.Pool.Run(() => LegacyCall(open))));
            Until(() => log.Lines.Any(static line => line is (LogLevel.Warning, "Blocking", _)));
            log.Lines.First(static line => line.Event == "Blocking").Text.ShouldStartWith("Pool 'bank': all 2 workers with an item are blocked, ");
            Until(() => DirectCheck.Check(app).Status == HealthStatus.Degraded);
            Until(() => log.Lines.Any(static line => line is (LogLevel.Critical, "Deadlock", _)));
            log.Lines.First(static line => line.Event == "Deadlock").Text.ShouldContain("AdaptivePool.Hosting.Tests.Logging.PoolLogTests.LegacyCall (event)");
            var entry = DirectCheck.Check(app);
            entry.Status.ShouldBe(HealthStatus.Unhealthy);
            entry.Data["blocked"].ShouldBe(2);
            entry.Data["blockers"].ShouldBe("2 in AdaptivePool.Hosting.Tests.Logging.PoolLogTests.LegacyCall (event)");
        }
        finally
        {
            open.Set();
        }

        await Task.WhenAll(items).WaitAsync(TestApp.Patience);
        Until(() => DirectCheck.Check(app).Status == HealthStatus.Healthy);
        Until(() => log.Lines.Any(static line => line.Event == "DeadlockEnd"));
    }

    [Fact]
    public async Task Check_PoolAddedByNameIsDeadlocked_IsUnhealthyAndHasTheDataOfEachPool()
    {
        var log = new RecordedLog();
        await using var app = await StartAsync(log, services => services.AddAdaptivePool("reports", static options =>
        {
            options.MaxThreads = 2;
            options.DeadlockTimeout = TimeSpan.FromMilliseconds(300);
        }));
        var pool = app.Application.Services.GetRequiredKeyedService<AdaptiveThreadPool>("reports");

        // Tests beside it may hold up the runtime's pool for a while, which is told too.
        Until(() => DirectCheck.Check(app).Status == HealthStatus.Healthy);
        using var open = new ManualResetEventSlim();
        var items = Enumerable.Range(0, 4).Select(_ => pool.Run(() => LegacyCall(open))).ToList();
        try
        {
            Until(() => DirectCheck.Check(app).Status == HealthStatus.Unhealthy);
            var entry = DirectCheck.Check(app);
            entry.Description.ShouldNotBeNull().ShouldMatch(@"^Pool 'reports(-\d+)?' is deadlocked");
            entry.Data["reports.blocked"].ShouldBe(1);
            entry.Data["blocked"].ShouldBe(0);
        }
        finally
        {
            open.Set();
        }

        await Task.WhenAll(items).WaitAsync(TestApp.Patience);
    }

    [Fact]
    public void AddAdaptivePool_HealthCheckOptionOutOfRange_IsRefused()
    {
        var builder = new ServiceCollection().AddHealthChecks();

        Should.Throw<ArgumentOutOfRangeException>(()
            => builder.AddAdaptivePool(degradedWait: TimeSpan.FromSeconds(-1))).Message.ShouldContain("00:00:00 to 1.00:00:00");
        Should.Throw<ArgumentException>(() => builder.AddAdaptivePool(name: ""));
    }

    [Fact]
    public async Task AddAdaptivePool_HealthCheckWithoutThePool_FailsTheStart()
    {
        await using var application = TestApp.Build(static _ => { }, static builder => builder.Services.AddHealthChecks().AddAdaptivePool());

        (await Should.ThrowAsync<OptionsValidationException>(() => application.StartAsync())).Message.ShouldBe(
            "AddHealthChecks().AddAdaptivePool() checks a pool that does not exist. Call 'builder.Services.AddAdaptivePool()' before the application is built.");
    }

    private static Task<TestApp> StartAsync(RecordedLog log, Action<AdaptivePoolOptions>? configure = null) =>
        StartAsync(log, services => services.AddAdaptivePool(configure ?? (static _ => { })));

    private static Task<TestApp> StartAsync(RecordedLog log, Action<IServiceCollection> configure) => TestApp.StartAsync(
        static it => it.UseAdaptivePool(),
        builder =>
        {
            builder.Logging.AddProvider(log);
            configure(builder.Services);
            builder.Services.AddHealthChecks().AddAdaptivePool(degradedWait: TimeSpan.FromMilliseconds(200));
        });

    private static void LegacyCall(ManualResetEventSlim open) => open.Wait();

    private static void Until(Func<bool> condition) => SpinWait.SpinUntil(condition, TestApp.Patience).ShouldBeTrue();

    private sealed class Broken : IThreadPoolWorkItem
    {
        public void Execute() => throw new InvalidOperationException("broken");
    }
}
