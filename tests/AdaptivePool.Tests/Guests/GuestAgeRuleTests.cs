using AdaptivePool.Guests;

namespace AdaptivePool.Tests.Guests;

public sealed class GuestAgeRuleTests
{
    [Fact]
    public void Age_SameRequest_Grows() =>
        GuestAgeRule.Age(TimeSpan.FromMilliseconds(5), isSame: true, TimeSpan.FromMilliseconds(6)).ShouldBe(TimeSpan.FromMilliseconds(11));

    [Fact]
    public void Age_AnotherRequest_BeginsAnew() =>
        GuestAgeRule.Age(TimeSpan.FromMilliseconds(5), isSame: false, TimeSpan.FromMilliseconds(6)).ShouldBe(TimeSpan.Zero);

    [Fact]
    public void Age_LookCameLate_SaysNothing() =>
        GuestAgeRule.Age(TimeSpan.FromMilliseconds(5), isSame: true, TimeSpan.FromMilliseconds(80)).ShouldBe(TimeSpan.FromMilliseconds(5));

    [Theory]
    [InlineData(1, 2, false)]
    [InlineData(2, 2, true)]
    [InlineData(1, 1, true)]
    [InlineData(63, 64, false)]
    public void IsCrowd_AsManyAsCores(int waiting, int cores, bool crowd) => GuestAgeRule.IsCrowd(waiting, cores).ShouldBe(crowd);
}
