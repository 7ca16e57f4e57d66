using System.Threading.RateLimiting;
using AdaptivePool.Admission;
using AdaptivePool.Control;

namespace AdaptivePool.Tests.Admission;

public sealed class TransactionGateOptionsTests
{
    public static TheoryData<string, Action<TransactionGateOptions>> Wrong => new()
    {
        { "Name is ' '; allowed: any text that is not empty, without control characters.", static o => o.Name = " " },
        { @"Name is 'a\u000ab\u0085'; allowed: any text that is not empty, without control characters.", static o => o.Name = "a\nb\u0085" },
        { "PermitLimit is '-1'; allowed: 0 (no limit) to 1000000.", static o => o.PermitLimit = -1 },
        { "QueueLimit is '-1'; allowed: 0 to 1000000.", static o => o.QueueLimit = -1 },
        { "QueueLimit is '1000001'; allowed: 0 to 1000000.", static o => o.QueueLimit = 1_000_001 },
        { "GroupCount is '-1'; allowed: 0 (not divided) to 1024.", static o => o.GroupCount = -1 },
        { "GroupCount is '1025'; allowed: 0 (not divided) to 1024.", static o => o.GroupCount = 1_025 },
        { "GroupWeights is '1 partitions'; allowed: none, unless GroupCount is 1 or more.", static o => o.GroupWeights["north"] = 1 },
        { "BorrowsBetweenGroups is 'False'; allowed: true, unless GroupCount is 1 or more.", static o => o.BorrowsBetweenGroups = false },
        { "GroupWeights is '1025 partitions'; allowed: 0 to 1024 partitions.", static o =>
            {
                o.GroupCount = 1;
                Enumerable.Range(0, 1_025).ToList().ForEach(i => o.GroupWeights[$"{i}"] = 1);
            } },
        { "GroupWeights[north] is '0'; allowed: 1 to 1000.", static o => (o.GroupCount, o.GroupWeights["north"]) = (1, 0) },
        { "GroupWeights[north] is '1001'; allowed: 1 to 1000.", static o => (o.GroupCount, o.GroupWeights["north"]) = (1, 1_001) },
        { "QueueProcessingOrder is '7'; allowed: OldestFirst or NewestFirst.", static o => o.QueueProcessingOrder = (QueueProcessingOrder)7 },
        { "QueueTimeout is '00:00:00'; allowed: 00:00:00.0010000 to 1.00:00:00 (days.hours:minutes:seconds).", static o => o.QueueTimeout = TimeSpan.Zero },
        { "QueueTimeout is 'Infinite'; allowed: 00:00:00.0010000 to 1.00:00:00 (days.hours:minutes:seconds).", static o
            => o.QueueTimeout = Timeout.InfiniteTimeSpan },
        { "KickUpAfter is '1.00:00:00.0000001'; allowed: 00:00:00.0010000 to 1.00:00:00 (days.hours:minutes:seconds).", static o
            => o.KickUpAfter = TimeSpan.FromHours(24) + TimeSpan.FromTicks(1) },
        { "OverloadDelay is '00:00:00'; allowed: 00:00:00.0010000 to 1.00:00:00 (days.hours:minutes:seconds).", static o => o.OverloadDelay = TimeSpan.Zero },
        { "OverloadInterval is '02:00:00'; allowed: 00:00:00.0010000 to 01:00:00 (days.hours:minutes:seconds).", static o
            => o.OverloadInterval = TimeSpan.FromHours(2) },
        { "MinLimit is '0'; allowed: 1 to 1000000.", static o => o.MinLimit = 0 },
        { "MaxLimit is '1000001'; allowed: 1 to 1000000.", static o => o.MaxLimit = 1_000_001 },
        { "MaxLimit is '7'; allowed: 8 (MinLimit) to 1000000.", static o => (o.MinLimit, o.MaxLimit) = (8, 7) },
        { "PermitLimit is '4'; allowed: 0 (begin low), or 8 (MinLimit) to 1024 (MaxLimit).", static o
            => (o.Adaptive, o.PermitLimit, o.MinLimit) = (true, 4, 8) },
        { "AdaptiveMonitorOnly is 'True'; allowed: false, unless Adaptive is true.", static o => o.AdaptiveMonitorOnly = true },
        { "Fleet is 'TestFleet'; allowed: null, unless Adaptive is true and AdaptiveMonitorOnly is false.", static o => o.Fleet = new TestFleet() },
        { "DecisionLogFile is ' '; allowed: the path of a file.", static o => o.DecisionLogFile = " " },
        { "StallAfter is '00:00:00'; allowed: 00:00:00.0010000 to 1.00:00:00 (days.hours:minutes:seconds).", static o => o.StallAfter = TimeSpan.Zero },
    };

    [Theory]
    [MemberData(nameof(Wrong))]
    public void Create_OptionOutOfRange_NamesOptionValueAndRange(string message, Action<TransactionGateOptions> spoil)
    {
        var options = new TransactionGateOptions();
        spoil(options);

        options.FindErrors().ShouldBe([message]);
        Should.Throw<ArgumentOutOfRangeException>(() => new TransactionGate(options)).Message.ShouldStartWith(message);
    }

    [Fact]
    public void Validate_Defaults_AreGoodAndOff()
    {
        var options = new TransactionGateOptions();
        options.FindErrors().ShouldBeEmpty();
        options.PermitLimit.ShouldBe(0);
    }

    [Fact]
    public void Validate_SearchOutOfRange_NamesItsOption() =>
        new TransactionGateOptions { HillClimbing = new HillClimbingOptions { MaxUpRatio = 0 } }.FindErrors()
            .ShouldHaveSingleItem().ShouldStartWith("HillClimbing.MaxUpRatio is '0'; allowed: 1.05 to 4.");

    [Fact]
    public void Validate_Null_Throws() => Should.Throw<ArgumentNullException>(() => TransactionGateOptionsValidator.Failures(null!));

    [Theory]
    [InlineData(2, 64)]
    [InlineData(16, 512)]
    [InlineData(48, 512)]
    [InlineData(int.MaxValue, 512)]
    public void Recommended_IsThirtyTwoPerCoreAtMost512InSixteenGroups(int cores, int limit)
    {
        TransactionGateOptions options = TransactionGateOptions.Recommended(cores);
        (options.PermitLimit, options.GroupCount).ShouldBe((limit, 16));
    }

    [Fact]
    public void Recommended_NoCores_Throws() => Should.Throw<ArgumentOutOfRangeException>(() => TransactionGateOptions.Recommended(0));

    [Fact]
    public void Gate_WeightsChangedLater_KeepsItsCopy()
    {
        var options = new TransactionGateOptions { PermitLimit = 1, GroupCount = 1 };
        options.GroupWeights["north"] = 2;
        using var gate = new TransactionGate(options);
        options.GroupWeights["north"] = 0;
        gate.AttemptAcquire(new TransactionRequest { Partition = "north" }).IsAcquired.ShouldBeTrue();
    }

    [Fact]
    public void Gate_OptionsChangedLater_KeepsItsCopy()
    {
        var options = new TransactionGateOptions { Name = "bank" };
        using var gate = new TransactionGate(options);
        options.Name = "other";
        gate.Name.ShouldBe("bank");
    }
}
