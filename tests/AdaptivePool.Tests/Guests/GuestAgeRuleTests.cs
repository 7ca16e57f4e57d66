using AdaptivePool.Guests;

namespace AdaptivePool.Tests.Guests;

public sealed class GuestAgeRuleTests
{
    [Fact]
    public void Age_SameRequest_Grows() =>
        GuestAgeRule.Age(TimeSpan.FromMilliseconds(5), isSame: true, TimeSpan.FromMilliseconds(6), TimeSpan.Zero).ShouldBe(TimeSpan.FromMilliseconds(11));

    [Fact]
    public void Age_AnotherRequest_BeginsAnew() =>
        GuestAgeRule.Age(TimeSpan.FromMilliseconds(5), isSame: false, TimeSpan.FromMilliseconds(6), TimeSpan.Zero).ShouldBe(TimeSpan.Zero);

    [Fact]
    public void Age_LookCameLate_CountsAsOneInTime() =>
        GuestAgeRule.Age(TimeSpan.FromMilliseconds(5), isSame: true, TimeSpan.FromMilliseconds(80), TimeSpan.Zero).ShouldBe(TimeSpan.FromMilliseconds(10));

    [Theory]
    [InlineData(11, 6, 10)]
    [InlineData(40, 36, 9)]
    [InlineData(5, 9, 5)]
    public void Age_ProcessStoodStillForACollection_IsNotCounted(int elapsed, int collected, int age) =>
        GuestAgeRule.Age(TimeSpan.FromMilliseconds(5), isSame: true, TimeSpan.FromMilliseconds(elapsed), TimeSpan.FromMilliseconds(collected))
            .ShouldBe(TimeSpan.FromMilliseconds(age));

    [Theory]
    [InlineData(9, 0, true, false)]
    [InlineData(10, 0, true, true)]
    [InlineData(10, 10, false, true)]
    [InlineData(99, 9, false, false)]
    [InlineData(5_000, 9, false, false)]
    [InlineData(99, double.NaN, null, false)]
    [InlineData(100, double.NaN, null, true)]
    [InlineData(10, 10, null, true)]
    public void IsLong_SleepsOrComputes_AndDoesNotWaitForACore(int age, double cpu, bool? isAsleep, bool isLong) =>
        IsLong(age, cpu, isAsleep, mayWait: false).ShouldBe(isLong);

    [Theory]
    [InlineData(10, 0, true, false)]
    [InlineData(99, 9, true, false)]
    [InlineData(10, 10, true, true)]
    [InlineData(100, 0, true, true)]
    [InlineData(100, 0, null, true)]
    [InlineData(100, 9, false, false)]
    public void IsLong_ClassWaitsBriefly_MaySleepForLonger(int age, double cpu, bool? isAsleep, bool isLong) =>
        IsLong(age, cpu, isAsleep, mayWait: true).ShouldBe(isLong);

    [Theory]
    [InlineData(10, 0, false, 1, true)]
    [InlineData(100, 0, true, 1, false)]
    [InlineData(999, 9, true, 16, false)]
    [InlineData(1_000, 0, true, 1, true)]
    [InlineData(10, 10, true, 1, true)]
    [InlineData(100, 0, true, 17, true)]
    [InlineData(100, double.NaN, true, 1, false)]
    public void LosesTrust_ClassWaitsBriefly_ForAStallIsLentAThreadOnly(int age, double cpu, bool mayWait, int held, bool loses) =>
        GuestAgeRule.LosesTrust(TimeSpan.FromMilliseconds(age), cpu / 1_000, mayWait, held, cores: 2).ShouldBe(loses);

    [Theory]
    [InlineData(9, false, false)]
    [InlineData(10, false, true)]
    [InlineData(99, true, false)]
    [InlineData(100, true, true)]
    public void AsksForSleep_WhoSleepsIsLongFromThereOn(int age, bool mayWait, bool asks)
    {
        GuestAgeRule.AsksForSleep(TimeSpan.FromMilliseconds(age), mayWait).ShouldBe(asks);
        IsLong(age, cpu: 0, isAsleep: true, mayWait).ShouldBe(asks);
    }

    [Theory]
    [InlineData(4, 2, false)]
    [InlineData(5, 2, true)]
    [InlineData(128, 64, false)]
    public void HoldsUp_MoreThanAStallOfADatabase(int held, int cores, bool holdsUp) => GuestAgeRule.HoldsUp(held, cores).ShouldBe(holdsUp);

    [Theory]
    [InlineData(1, 2, false)]
    [InlineData(2, 2, true)]
    [InlineData(1, 1, true)]
    [InlineData(63, 64, false)]
    public void IsCrowd_AsManyAsCores(int waiting, int cores, bool crowd) => GuestAgeRule.IsCrowd(waiting, cores).ShouldBe(crowd);

    // As the watch asks.
    private static bool IsLong(int age, double cpu, bool? isAsleep, bool mayWait)
    {
        TimeSpan seen = TimeSpan.FromMilliseconds(age);
        return GuestAgeRule.IsLong(seen, cpu / 1_000, GuestAgeRule.AsksForSleep(seen, mayWait) ? isAsleep : null);
    }
}
