using AdaptivePool.Sizing;

namespace AdaptivePool.Tests.Sizing;

public sealed class AgeRuleTests
{
    [Fact]
    public void Halves_AtEachLook_OnceInAMinute()
    {
        var age = new AgeRule();
        var halvedAt = new List<int>();
        for (int now = 0; now < 250; now++)
        {
            if (age.Halves(now))
            {
                halvedAt.Add(now);
            }
        }

        halvedAt.ShouldBe([61, 122, 183, 244]);
    }

    [Fact]
    public void Halves_AfterALongSleep_OnceOnly()
    {
        var age = new AgeRule();
        age.Halves(10_000).ShouldBeTrue();
        age.Halves(10_000).ShouldBeFalse();
        age.Halves(10_060).ShouldBeFalse();
        age.Halves(10_060.1).ShouldBeTrue();
    }
}
