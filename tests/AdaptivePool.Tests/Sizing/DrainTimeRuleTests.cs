using AdaptivePool.Sizing;

namespace AdaptivePool.Tests.Sizing;

public sealed class DrainTimeRuleTests
{
    private const double Never = double.PositiveInfinity;

    [Theory]
    [InlineData(0, 5, 5, true)]
    [InlineData(100, 104.9, 5, false)]
    [InlineData(100, 105, 5, true)]
    [InlineData(100, 400, 5, true)]
    [InlineData(100, 100, 0, true)]
    [InlineData(100, 1e9, Never, false)]
    public void IsOver_LongAfterTheFirstLook_OnceTheTimeoutHasPassed(double first, double now, double longest, bool expected)
    {
        var drain = new DrainTimeRule(longest, Never);
        drain.IsOver(first, Seen()).ShouldBe(longest == 0);
        drain.IsOver(now, Seen()).ShouldBe(expected);
        drain.IsOver(now, Seen()).ShouldBe(expected, "the first look counts, not the last");
    }

    [Theory]
    [InlineData(3, 101.9, false)]
    [InlineData(3, 102, true)]
    [InlineData(5, 100, true)]
    [InlineData(500, 100, true)]
    public void IsOver_EndBeganBeforeTheFirstLook_CountsFromThere(double spent, double now, bool expected)
    {
        var drain = new DrainTimeRule(5, Never);
        drain.IsOver(100, Seen(spent)).ShouldBe(spent >= 5);

        // What has passed later passes on the rule's own clock.
        drain.IsOver(now, Seen(spent + 1e9)).ShouldBe(expected);
    }

    [Fact]
    public void IsOver_ProcessExits_OnceNothingHasMovedForLong()
    {
        var drain = new DrainTimeRule(Never, 30);
        drain.IsOver(100, Seen(isExiting: false)).ShouldBeFalse();
        drain.IsOver(500, Seen(isExiting: false)).ShouldBeFalse("a pool that is disposed in a process that goes on waits for as long as it takes");
        drain.IsOver(529, Seen()).ShouldBeFalse();
        drain.IsOver(530, Seen(heartbeats: 1)).ShouldBeFalse("an item has ended");
        drain.IsOver(550, Seen(heartbeats: 1, cpu: 0.3)).ShouldBeFalse("an item computes");
        drain.IsOver(570, Seen(heartbeats: 1, cpu: 0.5)).ShouldBeFalse();
        drain.IsOver(580, Seen(heartbeats: 1, cpu: 0.59)).ShouldBeTrue("an item that polls does not move");
    }

    [Fact]
    public void IsOver_ProcessExitsBeforeTheFirstLook_WaitsFromThere()
    {
        var drain = new DrainTimeRule(Never, 30);
        drain.IsOver(100, Seen()).ShouldBeFalse();
        drain.IsOver(129.9, Seen()).ShouldBeFalse();
        drain.IsOver(130, Seen()).ShouldBeTrue();
    }

    [Fact]
    public void IsOver_ProcessExitsWithATimeoutThatIsSet_MeansWhatItSays()
    {
        var drain = new DrainTimeRule(100, 30);
        drain.IsOver(0, Seen()).ShouldBeFalse();
        drain.IsOver(99, Seen()).ShouldBeFalse();
        drain.IsOver(100, Seen()).ShouldBeTrue();
    }

    private static DrainObservation Seen(double spent = 0, bool isExiting = true, long heartbeats = 0, double cpu = 0) =>
        new(spent, isExiting, heartbeats, cpu);
}
