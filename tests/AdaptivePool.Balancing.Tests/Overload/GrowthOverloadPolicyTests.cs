using AdaptivePool.Balancing.Overload;

namespace AdaptivePool.Balancing.Tests.Overload;

public sealed class GrowthOverloadPolicyTests
{
    [Fact]
    public void Observe_WaitGrowsByMoreThanATenth_TellsTheRate()
    {
        GrowthOverloadPolicy policy = new();
        Look(policy, 0, wait: 10, rate: 1000).ShouldBeNull();
        Look(policy, 0.5, wait: 10, rate: 1000).ShouldBeNull();
        Look(policy, 1, wait: 11, rate: 1000).ShouldBeNull("exactly a tenth is not more");
        Look(policy, 1.5, wait: 12.2, rate: 1000).ShouldBe(new OverloadPoint(1000));
        Look(policy, 2, wait: 1, rate: 1000).ShouldBe(new OverloadPoint(1000), "it is never taken back");
    }

    [Fact]
    public void Observe_ConstantQueue_IsNoOverloadHoweverLong()
    {
        GrowthOverloadPolicy policy = new();
        for (int i = 0; i < 100; i++)
        {
            Look(policy, i * 0.5, wait: 5000, rate: 1000).ShouldBeNull();
        }
    }

    [Theory]
    [InlineData(false, 0)]
    [InlineData(true, 1)]
    public void Observe_GrowthFromNoWait_IsAnOption(bool fromZero, int signals)
    {
        GrowthOverloadPolicy policy = new(new GrowthOverloadOptions { FromZero = fromZero });
        Look(policy, 0, 0, 100);
        Look(policy, 1, 0, 100);
        Look(policy, 1.5, 3, 100);
        policy.Signals.ShouldBe(signals);
    }

    [Theory]
    [InlineData(0, 1)]
    [InlineData(20, 0)]
    public void Observe_NoiseAroundNoWait_SetsItOffWithoutAFloor(double floor, int signals)
    {
        GrowthOverloadPolicy policy = new(new GrowthOverloadOptions { Floor = TimeSpan.FromMilliseconds(floor) });
        Look(policy, 0, 0.1, 100);
        Look(policy, 1, 0.1, 100);
        Look(policy, 1.5, 0.2, 100);
        policy.Signals.ShouldBe(signals);
    }

    [Theory]
    [InlineData(true, 2)]
    [InlineData(false, 1)]
    public void Observe_RateNotCountedAnew_IsToldTwiceInTheDocument(bool repeat, int signals)
    {
        GrowthOverloadPolicy policy = new(new GrowthOverloadOptions { RepeatRate = repeat });
        Look(policy, 0, 10, 100);
        Look(policy, 1, 20, 100);
        Look(policy, 1.5, 30, 100);
        policy.Signals.ShouldBe(signals);
    }

    [Theory]
    [InlineData(false, 0)]
    [InlineData(true, 1)]
    public void Observe_BeforeTheFirstSizing_IsAnOption(bool before, int signals)
    {
        GrowthOverloadPolicy policy = new(new GrowthOverloadOptions { BeforeSizing = before });
        Look(policy, 0, 10, 100, isSized: false);
        Look(policy, 1, 20, 100, isSized: false);
        policy.Signals.ShouldBe(signals);
    }

    [Fact]
    public void Observe_ClearAfter_TakesThePointBack()
    {
        GrowthOverloadPolicy policy = new(new GrowthOverloadOptions { ClearAfter = TimeSpan.FromSeconds(3) });
        Look(policy, 0, 10, 100);
        Look(policy, 1, 20, 100).ShouldNotBeNull();
        Look(policy, 3.5, 20, 100).ShouldNotBeNull();
        Look(policy, 4, 20, 100).ShouldBeNull();
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Observe_ProcessStoodStill_IsNoTimeInWhichNothingArrived(bool fromZero)
    {
        GrowthOverloadPolicy policy = new(new GrowthOverloadOptions { FromZero = fromZero });
        Look(policy, 0, wait: 10, rate: 1000);
        Look(policy, 1, wait: 10, rate: 1000);

        // The clock has gone on, and the counts have not.
        Look(policy, 1.5, wait: 70_000, rate: 1000, stoodStill: 70).ShouldBeNull();
        Look(policy, 2.5, wait: 10, rate: 1000, stoodStill: 70).ShouldBeNull();
        Look(policy, 3, wait: 20, rate: 1000, stoodStill: 70).ShouldBe(new OverloadPoint(1000));
    }

    /// <summary>Nothing had a rate until the clock had caught up.</summary>
    [Fact]
    public void Observe_ClockIsSetBack_TheRateIsCountedFromThere()
    {
        GrowthOverloadPolicy policy = new();
        Look(policy, 100, wait: 10, rate: 1000).ShouldBeNull();
        Look(policy, 100.5, wait: 10, rate: 1000, stoodStill: -100).ShouldBeNull();
        Look(policy, 101.5, wait: 10, rate: 1000, stoodStill: -100).ShouldBeNull();
        Look(policy, 102, wait: 20, rate: 1000, stoodStill: -100).ShouldBe(new OverloadPoint(1000));
    }

    [Fact]
    public void Observe_NothingArrives_NeverTellsZero()
    {
        GrowthOverloadPolicy policy = new();
        Look(policy, 0, 10, 0);
        Look(policy, 1, 20, 0).ShouldBeNull();
    }

    public static TheoryData<string, GrowthOverloadOptions> Wrong => new()
    {
        { "Growth is 'NaN'; allowed: zero or more.", new() { Growth = double.NaN } },
        { "Interval is '00:00:00'; allowed: 1 ms to a day.", new() { Interval = TimeSpan.Zero } },
        { "Interval is '25.00:00:00'; allowed: 1 ms to a day.", new() { Interval = TimeSpan.FromDays(25), RatePeriod = TimeSpan.FromDays(25) } },
        { "RatePeriod is '00:00:00.0010000'; allowed: the interval to a day.", new() { RatePeriod = TimeSpan.FromMilliseconds(1) } },
        { "RatePeriod is '10675199.02:48:05.4775807'; allowed: the interval to a day.", new() { RatePeriod = TimeSpan.MaxValue } },
        { "Floor is '-00:00:01'; allowed: zero or more.", new() { Floor = TimeSpan.FromSeconds(-1) } },
        { "ClearAfter is '00:00:00'; allowed: above zero.", new() { ClearAfter = TimeSpan.Zero } },
    };

    [Theory]
    [MemberData(nameof(Wrong))]
    public void Constructor_OptionOutOfRange_NamesOptionValueAndRange(string message, GrowthOverloadOptions options) =>
        Should.Throw<ArgumentOutOfRangeException>(() => new GrowthOverloadPolicy(options)).Message.ShouldStartWith(message);

    private static OverloadPoint? Look(GrowthOverloadPolicy policy, double second, double wait, double rate, bool isSized = true, double stoodStill = 0)
        => policy.Observe(new QueueReading
    {
        Now = TimeSpan.FromSeconds(second + stoodStill),
        AverageWait = TimeSpan.FromMilliseconds(wait),
        Queued = wait > 0 ? 10 : 0,
        Arrived = (long)(second * rate),
        Completed = (long)(second * rate),
        IsSized = isSized,
    });
}
