using AdaptivePool.Admission;

namespace AdaptivePool.Tests.Admission;

public sealed class TransactionGateOptionsTests
{
    public static TheoryData<string, Action<TransactionGateOptions>> Wrong => new()
    {
        { "Name is ' '; allowed: any text that is not empty.", static o => o.Name = " " },
        { "MaxTransactions is '-1'; allowed: 0 (no limit) to 1000000.", static o => o.MaxTransactions = -1 },
        { "QueueLimit is '-1'; allowed: 0 to 1000000.", static o => o.QueueLimit = -1 },
        { "QueueLimit is '1000001'; allowed: 0 to 1000000.", static o => o.QueueLimit = 1_000_001 },
        { "GroupCount is '0'; allowed: 1 to 1024.", static o => o.GroupCount = 0 },
        { "GroupCount is '1025'; allowed: 1 to 1024.", static o => o.GroupCount = 1_025 },
        { "Order is '7'; allowed: Fifo, Lifo, AdaptiveLifo.", static o => o.Order = (QueueOrder)7 },
        { "Partitioning is '7'; allowed: Shared, PerGroup.", static o => o.Partitioning = (GatePartitioning)7 },
        { "QueueTimeout is '00:00:00'; allowed: 00:00:00.0010000 to 1.00:00:00.", static o => o.QueueTimeout = TimeSpan.Zero },
        { "QueueTimeout is '-00:00:00.0010000'; allowed: 00:00:00.0010000 to 1.00:00:00.", static o => o.QueueTimeout = Timeout.InfiniteTimeSpan },
        { "KickUpAfter is '1.00:00:00.0000001'; allowed: 00:00:00.0010000 to 1.00:00:00.", static o => o.KickUpAfter = TimeSpan.FromHours(24) + TimeSpan.FromTicks(1) },
        { "OverloadDelay is '00:00:00'; allowed: 00:00:00.0010000 to 1.00:00:00.", static o => o.OverloadDelay = TimeSpan.Zero },
        { "OverloadInterval is '02:00:00'; allowed: 00:00:00.0010000 to 01:00:00.", static o => o.OverloadInterval = TimeSpan.FromHours(2) },
        { "StallAfter is '00:00:00'; allowed: 00:00:00.0010000 to 1.00:00:00.", static o => o.StallAfter = TimeSpan.Zero },
    };

    [Theory]
    [MemberData(nameof(Wrong))]
    public void Create_OptionOutOfRange_NamesOptionValueAndRange(string message, Action<TransactionGateOptions> spoil)
    {
        var options = new TransactionGateOptions();
        spoil(options);

        TransactionGateOptionsValidator.Validate(options).ShouldBe([message]);
        Should.Throw<ArgumentOutOfRangeException>(() => new TransactionGate(options)).Message.ShouldStartWith(message);
    }

    [Fact]
    public void Validate_Defaults_AreGoodAndOff()
    {
        var options = new TransactionGateOptions();
        TransactionGateOptionsValidator.Validate(options).ShouldBeEmpty();
        options.MaxTransactions.ShouldBe(0);
    }

    [Fact]
    public void Validate_Null_Throws() => Should.Throw<ArgumentNullException>(() => TransactionGateOptionsValidator.Validate(null!));

    [Theory]
    [InlineData(2, 64)]
    [InlineData(16, 512)]
    [InlineData(48, 512)]
    [InlineData(int.MaxValue, 512)]
    public void Recommended_IsThirtyTwoPerCoreAtMost512InSixteenGroups(int cores, int limit)
    {
        TransactionGateOptions options = TransactionGateOptions.Recommended(cores);
        (options.MaxTransactions, options.Partitioning, options.GroupCount).ShouldBe((limit, GatePartitioning.PerGroup, 16));
    }

    [Fact]
    public void Recommended_NoCores_Throws() => Should.Throw<ArgumentOutOfRangeException>(() => TransactionGateOptions.Recommended(0));

    [Fact]
    public void Gate_OptionsChangedLater_KeepsItsCopy()
    {
        var options = new TransactionGateOptions { Name = "bank" };
        using var gate = new TransactionGate(options);
        options.Name = "other";
        gate.Name.ShouldBe("bank");
    }
}
