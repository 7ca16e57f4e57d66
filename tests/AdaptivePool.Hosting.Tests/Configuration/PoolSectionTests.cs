using AdaptivePool.Control;
using AdaptivePool.Hosting.Tests.Apps;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Configuration;

public sealed class PoolSectionTests
{
    private const string Keys =
        "Enabled, Hubs, Name, MinThreads, MaxThreads, InitialThreads, IdleTimeout, DrainTimeout, DecisionLogFile, BlockingReportInterval, DeadlockTimeout, "
        + "EmergencyThreads, BlockingAction, Guests, WatchRuntimePool, ThreadGroups, BatchWait, Oversubscribe, Preset, NodeAffinity, "
        + "MaxClasses, MaxQueued, MaxQueueTime, PriorityKickUp, HighPriorityMode, HighPriorityTickets, NewConnectionPriority, StackSize, MemoryLimitShare, "
        + "HillClimbing, Pools";

    [Theory]
    [InlineData("MinThreads", "0", "1 to 32767")]
    [InlineData("MinThreads", "-3", "1 to 32767")]
    [InlineData("MinThreads", "abc", "1 to 32767")]
    [InlineData("MinThreads", "1.5", "1 to 32767")]
    [InlineData("MinThreads", "", "1 to 32767")]
    [InlineData("MinThreads", "99999999999", "1 to 32767")]
    [InlineData("InitialThreads", "0", "1 to 32767")]
    [InlineData("MaxThreads", "0", "1 to 32767")]
    [InlineData("MaxThreads", "32768", "1 to 32767")]
    [InlineData("MaxThreads", "many", "1 to 32767")]
    [InlineData("Name", " ", "any text that is not empty, without control characters")]
    [InlineData("IdleTimeout", "00:00:00.0990000", "00:00:00.1000000 to 1.00:00:00 (days.hours:minutes:seconds)")]
    [InlineData("IdleTimeout", "60.00:00:00", "00:00:00.1000000 to 1.00:00:00 (days.hours:minutes:seconds)")]
    [InlineData("IdleTimeout", "Infinite", "00:00:00.1000000 to 1.00:00:00 (days.hours:minutes:seconds)")]
    [InlineData("IdleTimeout", "soon", "00:00:00.1000000 to 1.00:00:00 (days.hours:minutes:seconds)")]
    [InlineData("DrainTimeout", "-00:00:01", "00:00:00 to 1.00:00:00 (days.hours:minutes:seconds), or Infinite")]
    [InlineData("DrainTimeout", "1.00:00:01", "00:00:00 to 1.00:00:00 (days.hours:minutes:seconds), or Infinite")]
    [InlineData("BlockingReportInterval", "00:00:00.0500000", "00:00:00.1000000 to 1.00:00:00 (days.hours:minutes:seconds), or Infinite")]
    [InlineData("DeadlockTimeout", "00:00:00", "00:00:00.1000000 to 1.00:00:00 (days.hours:minutes:seconds), or Infinite")]
    [InlineData("DeadlockTimeout", "2.00:00:00", "00:00:00.1000000 to 1.00:00:00 (days.hours:minutes:seconds), or Infinite")]
    [InlineData("EmergencyThreads", "-1", "0 to 1000")]
    [InlineData("EmergencyThreads", "1001", "0 to 1000")]
    [InlineData("Guests", "Sometimes", "true or false")]
    [InlineData("Guests", "1", "true or false")]
    [InlineData("BlockingAction", "Fail", "Ignore, Warn or Throw")]
    [InlineData("BlockingAction", "2", "Ignore, Warn or Throw")]
    [InlineData("BlockingAction", "Warn,Throw", "Ignore, Warn or Throw")]
    [InlineData("ThreadGroups", "0", "1 to 4096")]
    [InlineData("ThreadGroups", "4097", "1 to 4096")]
    [InlineData("NodeAffinity", "Node", "true or false")]
    [InlineData("BatchWait", "00:00:00", "00:00:00.0000010 to 00:00:00.0100000 (days.hours:minutes:seconds)")]
    [InlineData("BatchWait", "00:00:01", "00:00:00.0000010 to 00:00:00.0100000 (days.hours:minutes:seconds)")]
    [InlineData("MaxClasses", "0", "1 to 10000")]
    [InlineData("MaxClasses", "10001", "1 to 10000")]
    [InlineData("MaxQueued", "0", "1 to 2147483647")]
    [InlineData("MaxQueued", "all", "1 to 2147483647")]
    [InlineData("IdleTimeout", "1", "00:00:00.1000000 to 1.00:00:00 (days.hours:minutes:seconds)")]
    [InlineData("DrainTimeout", "1", "00:00:00 to 1.00:00:00 (days.hours:minutes:seconds), or Infinite")]
    [InlineData("HillClimbing:MinSampleInterval", "0.1", "00:00:00.0010000 to 01:00:00 (days.hours:minutes:seconds)")]
    [InlineData("PriorityKickUp", "00:00:00", "00:00:00.0010000 to 1.00:00:00 (days.hours:minutes:seconds), or Infinite")]
    [InlineData("MaxQueueTime", "00:00:00", "00:00:00.0010000 to 1.00:00:00 (days.hours:minutes:seconds), or Infinite")]
    [InlineData("MaxQueueTime", "1.00:00:01", "00:00:00.0010000 to 1.00:00:00 (days.hours:minutes:seconds), or Infinite")]
    [InlineData("StackSize", "262143", "0, or 262144 to 67108864 (bytes)")]
    [InlineData("StackSize", "67108865", "0, or 262144 to 67108864 (bytes)")]
    [InlineData("MemoryLimitShare", "0.05", "0.1 to 1")]
    [InlineData("MemoryLimitShare", "90", "0.1 to 1")]
    [InlineData("MemoryLimitShare", "NaN", "0.1 to 1")]
    [InlineData("MemoryLimitShare", "0,9", "0.1 to 1")]
    [InlineData("Enabled", "yes", "true or false")]
    [InlineData("Hubs", "no", "true or false")]
    [InlineData("MinThread", "8", "the keys " + Keys)]
    [InlineData("Sizing", "Fixed", "the keys " + Keys)]
    [InlineData("Preset", "MariaDb", "None or DatabaseCompatible")]
    [InlineData("Preset", "1", "None or DatabaseCompatible")]
    [InlineData("Oversubscribe", "0", "1 to 1000")]
    [InlineData("NewConnectionPriority", "true", "Low, Normal or High")]
    [InlineData("HighPriorityMode", "0", "Transactions, Statements or None")]
    [InlineData("HighPriorityTickets", "4294967295", "1 to 2147483647")]
    [InlineData("DecisionLogFile", " ", "the path of a file")]
    [InlineData("DecisionLogFile", "logs/", "the path of a file")]
    [InlineData("HillClimbing", "fast", "a section with options of the controller")]
    [InlineData("HillClimbing:MaxUpRatio", "high", "1.05 to 4")]
    [InlineData("HillClimbing:MaxUpRatio", "NaN", "1.05 to 4")]
    [InlineData("HillClimbing:FirstRestSamples", "4.5", "1 to 100000")]
    [InlineData("HillClimbing:ModelJump", "1", "true or false")]
    [InlineData("HillClimbing:MinSampleInterval", "soon", "00:00:00.0010000 to 01:00:00 (days.hours:minutes:seconds)")]
    [InlineData("HillClimbing:Profile", "Guess", "Adaptive or SeedWave")]
    public async Task Start_BadValueOrKey_FailsWithKeyPathValueAndWhatIsAllowed(string key, string value, string allowed)
    {
        var exception = await FailAsync(($"AdaptivePool:{key}", value));

        exception.Message.ShouldBe($"AdaptivePool:{key} is '{value}'; allowed: {allowed}.");
    }

    [Theory]
    [InlineData("Name", "any text that is not empty, without control characters")]
    [InlineData("MinThreads", "1 to 32767")]
    public async Task Start_BadValueWithALineBreak_IsToldInOneLine(string key, string allowed)
    {
        var exception = await FailAsync(($"AdaptivePool:{key}", "1\n2"));

        exception.Message.ShouldBe($@"AdaptivePool:{key} is '1\u000a2'; allowed: {allowed}.");
    }

    [Theory]
    [InlineData("MaxUpRatio", "5", "AdaptivePool:HillClimbing:MaxUpRatio is '5'; allowed: 1.05 to 4.")]
    [InlineData("Seed:WavePeriod", "3", "AdaptivePool:HillClimbing:Seed:WavePeriod is '3'; allowed: 4 to 64.")]
    [InlineData("MinSettleInterval", "02:00:00",
        "AdaptivePool:HillClimbing:MinSettleInterval is '02:00:00'; allowed: 00:00:00.0010000 to 01:00:00 (days.hours:minutes:seconds).")]
    public async Task Start_ControllerOptionOutOfRange_NamesKeyValueAndRange(string key, string value, string message)
    {
        var exception = await FailAsync(($"AdaptivePool:HillClimbing:{key}", value));

        exception.Message.ShouldBe(message);
    }

    [Fact]
    public async Task Start_UnknownControllerOption_NamesTheKeyAndThoseThereAre()
    {
        var exception = await FailAsync(("AdaptivePool:HillClimbing:MaxUpRatoi", "1.2"));

        exception.Message.ShouldStartWith("AdaptivePool:HillClimbing:MaxUpRatoi is '1.2'; allowed: the keys ");
        exception.Message.ShouldContain("MaxUpRatio");
    }

    [Fact]
    public async Task Start_ControllerOptionFromCodeOutOfRange_FailsTheSameWay()
    {
        await using var application = TestApp.Build(
            static it => it.UseAdaptivePool(),
            static builder => builder.Services.AddAdaptivePool(static options => options.HillClimbing = new() { MaxUpRatio = 5 }));

        var exception = await Should.ThrowAsync<OptionsValidationException>(() => application.StartAsync());

        exception.Message.ShouldBe("AdaptivePool:HillClimbing:MaxUpRatio is '5'; allowed: 1.05 to 4.");
    }

    [Fact]
    public async Task Start_ControllerOptionsSet_ReachTheOptionsAndTheRestIsDefault()
    {
        await using var app = await TestApp.StartAsync(
            static it => it.UseAdaptivePool(),
            settings:
            [
                new("AdaptivePool:HillClimbing:maxupratio", "1.5"),
                new("AdaptivePool:HillClimbing:ModelJump", "False"),
                new("AdaptivePool:HillClimbing:FirstRestSamples", "7"),
                new("AdaptivePool:HillClimbing:MaxSampleInterval", "00:00:02.5"),
                new("AdaptivePool:HillClimbing:Profile", "seedwave"),
                new("AdaptivePool:HillClimbing:Seed:SamplePeriod", "00:00:01"),
            ]);

        app.Application.Services.GetRequiredService<IOptions<AdaptivePoolOptions>>().Value.HillClimbing.ShouldBe(
            new HillClimbingOptions { MaxUpRatio = 1.5, ModelJump = false, FirstRestSamples = 7, MaxSampleInterval = TimeSpan.FromSeconds(2.5),
                Profile = ControllerProfile.SeedWave, Seed = new() { SamplePeriod = TimeSpan.FromSeconds(1) } });
    }

    [Fact]
    public async Task Start_NoControllerOptions_LeavesThemUnset()
    {
        await using var app = await TestApp.StartAsync(static it => it.UseAdaptivePool());

        app.Application.Services.GetRequiredService<IOptions<AdaptivePoolOptions>>().Value.HillClimbing.ShouldBeNull();
    }

    [Fact]
    public async Task Start_MinThreadsAboveMaxThreads_NamesBothKeys()
    {
        var exception = await FailAsync(("AdaptivePool:MinThreads", "8"), ("AdaptivePool:MaxThreads", "4"));

        exception.Message.ShouldBe("AdaptivePool:MinThreads is '8'; allowed: 1 to 4 (MaxThreads).");
    }

    [Fact]
    public async Task Start_SeveralMistakes_ReportsThemAll()
    {
        var exception = await FailAsync(("AdaptivePool:MinThreads", "0"), ("AdaptivePool:MaxClasses", "x"), ("AdaptivePool:Typo", "1"));

        exception.Failures.Count().ShouldBe(3);
    }

    [Fact]
    public async Task Start_SectionBelowAValue_NamesTheInnerKey()
    {
        var exception = await FailAsync(("AdaptivePool:MinThreads:Low", "1"));

        exception.Message.ShouldBe("AdaptivePool:MinThreads:Low is '1'; allowed: one value at AdaptivePool:MinThreads, nothing below it.");
    }

    [Fact]
    public async Task Start_ValueInsteadOfSection_SaysSo()
    {
        var exception = await FailAsync(("AdaptivePool", "off"));

        exception.Message.ShouldBe($"AdaptivePool is 'off'; allowed: a section with the keys {Keys}.");
    }

    [Fact]
    public async Task Start_BadValueFromCode_FailsTheSameWay()
    {
        await using var application = TestApp.Build(
            static it => it.UseAdaptivePool(),
            static builder => builder.Services.AddAdaptivePool(static options => options.MinThreads = 0));

        var exception = await Should.ThrowAsync<OptionsValidationException>(() => application.StartAsync());

        exception.Message.ShouldBe("AdaptivePool:MinThreads is '0'; allowed: 1 to 32767.");
    }

    [Fact]
    public async Task Start_EveryKeySet_ReachesTheOptions()
    {
        await using var app = await TestApp.StartAsync(
            static it => it.UseAdaptivePool(),
            settings:
            [
                new("adaptivepool:enabled", "True"),
                new("AdaptivePool:Name", "web"),
                new("AdaptivePool:MinThreads", "3"),
                new("AdaptivePool:MaxThreads", "5"),
                new("AdaptivePool:IdleTimeout", "00:00:05"),
                new("AdaptivePool:DrainTimeout", "00:00:09"),
                new("AdaptivePool:BlockingReportInterval", "00:00:03"),
                new("AdaptivePool:DeadlockTimeout", "Infinite"),
                new("AdaptivePool:EmergencyThreads", "6"),
                new("AdaptivePool:BlockingAction", "warn"),
                new("AdaptivePool:Guests", "false"),
                new("AdaptivePool:MaxClasses", "7"),
                new("AdaptivePool:InitialThreads", "4"),
                new("AdaptivePool:StackSize", "262144"),
                new("AdaptivePool:MemoryLimitShare", "0.75"),
            ]);
        var options = app.Application.Services.GetRequiredService<IOptions<AdaptivePoolOptions>>().Value;

        options.Name.ShouldBe("web");
        options.MinThreads.ShouldBe(3);
        options.MaxThreads.ShouldBe(5);
        options.IdleTimeout.ShouldBe(TimeSpan.FromSeconds(5));
        options.DrainTimeout.ShouldBe(TimeSpan.FromSeconds(9));
        options.BlockingReportInterval.ShouldBe(TimeSpan.FromSeconds(3));
        options.DeadlockTimeout.ShouldBe(Timeout.InfiniteTimeSpan);
        options.EmergencyThreads.ShouldBe(6);
        options.BlockingAction.ShouldBe(BlockingAction.Warn);
        options.Guests.ShouldBeFalse();
        options.MaxClasses.ShouldBe(7);
        options.InitialThreads.ShouldBe(4);
        options.StackSize.ShouldBe(262_144);
        options.MemoryLimitShare.ShouldBe(0.75);
        var snapshot = app.Pool.GetSnapshot();
        snapshot.Name.ShouldBe("web");
        snapshot.MinThreads.ShouldBe(3);
        snapshot.MaxThreads.ShouldBe(5);
    }

    [Theory]
    [InlineData("MinThreads", "1")]
    [InlineData("MaxThreads", "1")]
    [InlineData("MaxThreads", "32767")]
    [InlineData("IdleTimeout", "00:00:00.1")]
    [InlineData("IdleTimeout", "1.00:00:00")]
    [InlineData("DrainTimeout", "00:00:00")]
    [InlineData("DrainTimeout", "infinite")]
    [InlineData("BlockingReportInterval", "00:00:00.1")]
    [InlineData("DeadlockTimeout", "1.00:00:00")]
    [InlineData("EmergencyThreads", "1000")]
    [InlineData("BlockingAction", "Throw")]
    [InlineData("ThreadGroups", "1")]
    [InlineData("NodeAffinity", "true")]
    [InlineData("BatchWait", "00:00:00.000001")]
    [InlineData("BatchWait", "00:00:00.01")]
    [InlineData("MaxClasses", "1")]
    [InlineData("MaxClasses", "10000")]
    [InlineData("StackSize", "0")]
    [InlineData("StackSize", "262144")]
    [InlineData("StackSize", "67108864")]
    [InlineData("MemoryLimitShare", "0.1")]
    [InlineData("MemoryLimitShare", "1")]
    [InlineData("Name", null)]
    public async Task Start_ValueAtTheBound_IsAcceptedByTheSectionAndByThePool(string key, string? value)
    {
        await using var app = await TestApp.StartAsync(static it => it.UseAdaptivePool(), settings: [new($"AdaptivePool:{key}", value)]);

        app.Pool.Name.ShouldStartWith("default");
    }

    [Fact]
    public void Pool_ValuesOutsideTheSectionsRanges_AreRefusedByThePoolToo()
    {
        AdaptivePoolOptions[] outside =
        [
            new() { Name = "" },
            new() { MinThreads = 0 },
            new() { InitialThreads = 0 },
            new() { InitialThreads = 2, MaxThreads = 1 },
            new() { MaxThreads = 0 },
            new() { MaxThreads = 32_768 },
            new() { MinThreads = 2, MaxThreads = 1 },
            new() { IdleTimeout = TimeSpan.FromMilliseconds(99) },
            new() { IdleTimeout = TimeSpan.FromHours(24) + TimeSpan.FromTicks(1) },
            new() { DrainTimeout = TimeSpan.FromSeconds(-1) },
            new() { BatchWait = TimeSpan.FromTicks(9) },
            new() { BatchWait = TimeSpan.FromMilliseconds(10) + TimeSpan.FromTicks(1) },
            new() { DrainTimeout = TimeSpan.FromHours(24) + TimeSpan.FromTicks(1) },
            new() { BlockingReportInterval = TimeSpan.FromMilliseconds(99) },
            new() { DeadlockTimeout = TimeSpan.FromHours(24) + TimeSpan.FromTicks(1) },
            new() { EmergencyThreads = -1 },
            new() { EmergencyThreads = 1_001 },
            new() { BlockingAction = (BlockingAction)3 },
            new() { MaxClasses = 0 },
            new() { MaxClasses = 10_001 },
            new() { StackSize = 262_143 },
            new() { StackSize = 67_108_865 },
            new() { MemoryLimitShare = 0.09 },
            new() { MemoryLimitShare = 1.01 },
            new() { DecisionLogFile = "logs/" },
            new() { HillClimbing = new() { MaxUpRatio = 5 } },
        ];

        foreach (var options in outside)
        {
            Should.Throw<ArgumentException>(() => new AdaptiveThreadPool(options).Dispose());
        }
    }

    [Fact]
    public void AddAdaptivePool_CodeAfterSection_WinsAndIsAppliedInOrder()
    {
        using var application = TestApp.Build(
            static _ => { },
            static builder =>
            {
                builder.Services.AddAdaptivePool(static options => options.MaxThreads = 5);
                builder.Services.AddAdaptivePool();
                builder.Services.AddAdaptivePool(static options => options.Name += "-second");
            },
            [new("AdaptivePool:MaxThreads", "9"), new("AdaptivePool:Name", "first")]) as IDisposable;
        var options = ((WebApplication)application!).Services.GetRequiredService<IOptions<AdaptivePoolOptions>>().Value;

        options.MaxThreads.ShouldBe(5);
        options.Name.ShouldBe("first-second");
    }

    [Fact]
    public async Task AddAdaptivePool_ContainerWithoutConfiguration_UsesCodeAlone()
    {
        var services = new ServiceCollection();
        services.AddAdaptivePool(static options =>
        {
            options.Name = "tool";
            options.Sizing = PoolSizing.Fixed(2);
        });
        await using var provider = services.BuildServiceProvider();

        provider.GetRequiredService<AdaptiveThreadPool>().Name.ShouldBe("tool");
    }

    [Fact]
    public async Task Section_ChangedBeforeAPoolIsFirstAskedFor_HasTheValuesOfTheStart()
    {
        // The pool without a name was made of the new ones, or failed for a mistake in them.
        var builder = Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings());
        builder.Configuration.AddInMemoryCollection([new("AdaptivePool:MaxThreads", "20"), new("AdaptivePool:Pools:reports:MaxThreads", "20")]);
        builder.Services.AddAdaptivePool("reports");
        using var host = builder.Build();
        await host.StartAsync();

        builder.Configuration["AdaptivePool:MaxThreads"] = "many";
        builder.Configuration["AdaptivePool:Pools:reports:MaxThreads"] = "many";

        host.Services.GetRequiredService<AdaptiveThreadPool>().GetSnapshot().MaxThreads.ShouldBe(20);
        host.Services.GetRequiredKeyedService<AdaptiveThreadPool>("reports").GetSnapshot().MaxThreads.ShouldBe(20);
    }

    private static async Task<OptionsValidationException> FailAsync(params (string Key, string Value)[] settings)
    {
        await using var application =
            TestApp.Build(static it => it.UseAdaptivePool(), settings: settings.Select(static pair => KeyValuePair.Create(pair.Key, (string?)pair.Value)));
        return await Should.ThrowAsync<OptionsValidationException>(() => application.StartAsync());
    }
}
