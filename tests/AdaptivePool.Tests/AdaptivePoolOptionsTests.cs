using System.Globalization;
using AdaptivePool.Control;

namespace AdaptivePool.Tests;

/// <summary>Bad settings are refused when the pool is created, with the option, its value and what is allowed.</summary>
public sealed class AdaptivePoolOptionsTests : PoolTest
{
    public static TheoryData<string, object, string, string> OutOfRange => new()
    {
        { nameof(AdaptivePoolOptions.InitialThreads), 0, "1", "" },
        { nameof(AdaptivePoolOptions.InitialThreads), 40_000, "1", "" },
        { nameof(AdaptivePoolOptions.MinThreads), 0, "1", "" },
        { nameof(AdaptivePoolOptions.MinThreads), -3, "1", "" },
        { nameof(AdaptivePoolOptions.MinThreads), 40_000, "1", "" },
        { nameof(AdaptivePoolOptions.MaxThreads), 0, "1", "32767" },
        { nameof(AdaptivePoolOptions.MaxThreads), -1, "1", "32767" },
        { nameof(AdaptivePoolOptions.MaxThreads), 32_768, "1", "32767" },
        { nameof(AdaptivePoolOptions.MaxClasses), 0, "1", "10000" },
        { nameof(AdaptivePoolOptions.MaxClasses), 10_001, "1", "10000" },
        { nameof(AdaptivePoolOptions.MaxQueued), 0, "1", "2147483647" },
        { nameof(AdaptivePoolOptions.MaxQueued), -1, "1", "" },
        { nameof(AdaptivePoolOptions.MaxQueueTime), TimeSpan.Zero, "", "" },
        { nameof(AdaptivePoolOptions.MaxQueueTime), TimeSpan.FromHours(25), "", "" },
        { nameof(AdaptivePoolOptions.PriorityKickUp), TimeSpan.Zero, "", "" },
        { nameof(AdaptivePoolOptions.PriorityKickUp), TimeSpan.FromHours(25), "", "" },
        { nameof(AdaptivePoolOptions.StackSize), -1, "0", "" },
        { nameof(AdaptivePoolOptions.StackSize), 1, "0", "" },
        { nameof(AdaptivePoolOptions.StackSize), 128 * 1024, "262144", "67108864" },
        { nameof(AdaptivePoolOptions.StackSize), (64 * 1024 * 1024) + 1, "0", "" },
        { nameof(AdaptivePoolOptions.EmergencyThreads), -1, "0", "1000" },
        { nameof(AdaptivePoolOptions.EmergencyThreads), 1_001, "0", "1000" },
        { nameof(AdaptivePoolOptions.DeadlockTimeout), TimeSpan.FromMilliseconds(99), "", "" },
        { nameof(AdaptivePoolOptions.DeadlockTimeout), TimeSpan.FromHours(25), "", "" },
        { nameof(AdaptivePoolOptions.BlockingReportInterval), TimeSpan.Zero, "", "" },
        { nameof(AdaptivePoolOptions.BlockingReportInterval), TimeSpan.FromHours(25), "", "" },
        { nameof(AdaptivePoolOptions.BlockingAction), (BlockingAction)3, "Ignore", "Throw" },
        { nameof(AdaptivePoolOptions.Oversubscribe), 0, "1", "1000" },
        { nameof(AdaptivePoolOptions.Oversubscribe), 1_001, "1", "1000" },
        { nameof(AdaptivePoolOptions.Preset), (PoolPreset)7, "None", "DatabaseCompatible" },
        { nameof(AdaptivePoolOptions.HighPriorityMode), (HighPriorityMode)(-1), "Transactions", "None" },
        { nameof(AdaptivePoolOptions.HighPriorityTickets), 0, "1", "2147483647" },
        { nameof(AdaptivePoolOptions.NewConnectionPriority), (WorkPriority)5, "Low", "High" },
        { nameof(AdaptivePoolOptions.MemoryLimitShare), 0.09, "0.1", "1" },
        { nameof(AdaptivePoolOptions.MemoryLimitShare), 1.01, "0.1", "1" },
        { nameof(AdaptivePoolOptions.MemoryLimitShare), double.NaN, "0.1", "1" },
        { nameof(AdaptivePoolOptions.IdleTimeout), TimeSpan.FromMilliseconds(99), "", "" },
        { nameof(AdaptivePoolOptions.IdleTimeout), TimeSpan.Zero, "", "" },
        { nameof(AdaptivePoolOptions.IdleTimeout), TimeSpan.FromHours(25), "", "" },
        { nameof(AdaptivePoolOptions.BatchWait), TimeSpan.Zero, "", "" },
        { nameof(AdaptivePoolOptions.BatchWait), TimeSpan.FromTicks(9), "", "" },
        { nameof(AdaptivePoolOptions.BatchWait), TimeSpan.FromMilliseconds(11), "", "" },
        { nameof(AdaptivePoolOptions.DrainTimeout), TimeSpan.FromSeconds(-7), "", "" },
        { nameof(AdaptivePoolOptions.DrainTimeout), TimeSpan.FromHours(25), "", "" },
    };

    [Theory]
    [MemberData(nameof(OutOfRange))]
    public void Create_OptionOutOfRange_NamesOptionValueAndRange(string option, object value, string low, string high)
    {
        var options = new AdaptivePoolOptions();
        typeof(AdaptivePoolOptions).GetProperty(option)!.SetValue(options, value);

        ArgumentOutOfRangeException refusal = Should.Throw<ArgumentOutOfRangeException>(() => { using var pool = new AdaptiveThreadPool(options); });
        string message = refusal.Message.Replace(",", "", StringComparison.Ordinal).Replace("_", "", StringComparison.Ordinal);
        message.ShouldContain(option);
        message.ShouldContain(string.Format(CultureInfo.InvariantCulture, "{0}", value));
        message.ShouldContain(low);
        message.ShouldContain(high);
    }

    /// <summary>A line break would begin a line of its own in each log.</summary>
    [Theory]
    [InlineData("a\nb", @"a\u000ab")]
    [InlineData("\0", @"\u0000")]
    [InlineData("bell\u0007 and \u009b", @"bell\u0007 and \u009b")]
    public void Create_NameWithControlCharacters_IsRefusedAndShownWithoutThem(string name, string shown)
    {
        ArgumentOutOfRangeException refusal =
            Should.Throw<ArgumentOutOfRangeException>(() => { using var pool = new AdaptiveThreadPool(new AdaptivePoolOptions { Name = name }); });
        refusal.Message.ShouldStartWith($"Name is '{shown}'; allowed: any text that is not empty, without control characters.");
        refusal.Message.ShouldNotContain(name);
    }

    [Fact]
    public void Create_MinThreadsAboveMaxThreads_NamesBoth()
    {
        ArgumentException refusal =
            Should.Throw<ArgumentOutOfRangeException>(()
            => { using var pool = new AdaptiveThreadPool(new AdaptivePoolOptions { MinThreads = 9, MaxThreads = 4 }); });
        refusal.Message.ShouldContain(nameof(AdaptivePoolOptions.MinThreads));
        refusal.Message.ShouldContain(nameof(AdaptivePoolOptions.MaxThreads));
        refusal.Message.ShouldContain("9");
        refusal.Message.ShouldContain("4");
    }

    [Theory]
    [InlineData(null)]
    [InlineData("")]
    [InlineData("   ")]
    public void Create_NoName_IsRefused(string? name) =>
        Should.Throw<ArgumentException>(() => { using var pool = new AdaptiveThreadPool(new AdaptivePoolOptions { Name = name! }); })
            .Message.ShouldContain(nameof(AdaptivePoolOptions.Name));

    [Fact]
    public void Validate_SeveralBadOptions_NamesThemAll()
    {
        IReadOnlyList<string> failures = new AdaptivePoolOptions { Name = "", MaxThreads = 0, MaxClasses = -1 }.FindErrors();
        failures.Count.ShouldBe(3);
        failures.ShouldContain(f => f.Contains(nameof(AdaptivePoolOptions.Name), StringComparison.Ordinal));
        failures.ShouldContain(f => f.Contains(nameof(AdaptivePoolOptions.MaxThreads), StringComparison.Ordinal));
        failures.ShouldContain(f => f.Contains(nameof(AdaptivePoolOptions.MaxClasses), StringComparison.Ordinal));
        new AdaptivePoolOptions().FindErrors().ShouldBeEmpty();
    }

    [Fact]
    public void Create_NullOptions_UsesTheDefaults()
    {
        AdaptiveThreadPool pool = CreatePool();
        PoolSnapshot snapshot = pool.GetSnapshot();
        pool.Name.ShouldBe("default");
        snapshot.MaxThreads.ShouldBe(AdaptivePoolOptions.DefaultMaxThreads);
        snapshot.MinThreads.ShouldBe(Environment.ProcessorCount);
    }

    [Fact]
    public void Create_MaxThreadsUnderTheProcessors_TakesMinThreadsDown()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { MaxThreads = 1 });
        pool.GetSnapshot().MinThreads.ShouldBe(1);
    }

    [Fact]
    public void Create_OptionsChangedLater_KeepsItsOwnCopy()
    {
        var options = new AdaptivePoolOptions { Name = "before", MinThreads = 1, MaxThreads = 3 };
        AdaptiveThreadPool pool = CreatePool(options);
        options.Name = "after";
        options.MaxThreads = 99;
        pool.Name.ShouldBe("before");
        pool.GetSnapshot().MaxThreads.ShouldBe(3);
    }

    [Theory]
    [InlineData("")]
    [InlineData("  ")]
    [InlineData("folder/")]
    [InlineData("a\0b")]
    public void Create_FileWithoutAName_NamesTheOption(string path)
    {
        Should.Throw<ArgumentOutOfRangeException>(()
            => { using var pool = new AdaptiveThreadPool(new AdaptivePoolOptions { DecisionLogFile = path }); }).ParamName.ShouldBe(
            nameof(AdaptivePoolOptions.DecisionLogFile));
    }

    [Fact]
    public void Create_ControllerOptionOutOfRange_NamesOptionValueAndRange()
    {
        ArgumentOutOfRangeException refusal =
            Should.Throw<ArgumentOutOfRangeException>(()
            => { using var pool = new AdaptiveThreadPool(new AdaptivePoolOptions { HillClimbing = new() { MaxUpRatio = 5 } }); });

        refusal.ParamName.ShouldBe("HillClimbing.MaxUpRatio");
        refusal.Message.ShouldContain("MaxUpRatio is '5'; allowed: 1.05 to 4.");
    }

    [Fact]
    public void Create_BoundsAtTheirLimits_IsAccepted()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions
        {
            MinThreads = 1,
            MaxThreads = 32_767,
            MaxClasses = 1,
            StackSize = 256 * 1024,
            IdleTimeout = TimeSpan.FromMilliseconds(100),
            DrainTimeout = Timeout.InfiniteTimeSpan,
        });
        Eventually.Result(pool.Run(() => 1)).ShouldBe(1);
    }

    [Fact]
    public void StackSize_Larger_AllowsDeeperRecursion()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { StackSize = 32 * 1024 * 1024 });
        Eventually.Result(pool.Run(() => Depth(100_000))).ShouldBe(100_000);

        static int Depth(int left) => left == 0 ? 0 : 1 + Depth(left - 1);
    }

    [Fact]
    public void Sizing_Null_IsRefused() =>
        new AdaptivePoolOptions { Sizing = null! }.FindErrors().ShouldBe(["Sizing is ''; allowed: Adaptive, Fixed or Custom."]);

    [Fact]
    public void Sizing_Choices_SayWhatTheyAre()
    {
        new AdaptivePoolOptions().Sizing.ShouldBeSameAs(PoolSizing.Adaptive);
        new[] { PoolSizing.Adaptive, PoolSizing.Fixed(8), PoolSizing.Custom(static () => new FixedController(1)) }
            .Select(static s => s.ToString()).ShouldBe(["Adaptive", "Fixed(8)", "Custom"]);
        Should.Throw<ArgumentOutOfRangeException>(() => PoolSizing.Fixed(0));
        Should.Throw<ArgumentNullException>(() => PoolSizing.Custom(null!));
    }

    [Fact]
    public void Sizing_FixedThatNoPoolCanHave_IsRefused()
    {
        new AdaptivePoolOptions { Sizing = PoolSizing.Fixed(99_999) }.FindErrors()
            .ShouldBe(["Sizing is 'Fixed(99999)'; allowed: Fixed(1) to Fixed(32767)."]);
        new AdaptivePoolOptions { MaxThreads = 5, Sizing = PoolSizing.Fixed(50) }.FindErrors().ShouldBeEmpty("MaxThreads bounds it");
    }

    [Fact]
    public void Sizing_CustomThatMakesNoController_IsRefused() =>
        Should.Throw<InvalidOperationException>(static () => new AdaptiveThreadPool(new() { Sizing = PoolSizing.Custom(static () => null!) })).Message
            .ShouldBe("The function given to PoolSizing.Custom returned null; allowed: a controller.");

    [Fact]
    public void Sizing_Fixed_DecidesTheLimitOfEachClass()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { Sizing = PoolSizing.Fixed(3) });
        pool.GetClass("a").GetSnapshot().Limit.ShouldBe(3);
        pool.DefaultClass.GetSnapshot().Limit.ShouldBe(3);
    }
}
