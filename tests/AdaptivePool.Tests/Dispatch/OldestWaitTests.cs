using AdaptivePool.Dispatch;

namespace AdaptivePool.Tests.Dispatch;

public sealed class OldestWaitTests
{
    private const double Little = TurnRule.OldestAfterSeconds / 4;

    [Fact]
    public void IsLong_SameItemAtLooksForItsTime_FromThenOn()
    {
        var wait = new OldestWait();
        wait.IsLong(7, 100).ShouldBeFalse("it may have come just now");
        wait.IsLong(7, 100 + Little).ShouldBeFalse();
        wait.IsLong(7, 100 + (5 * Little)).ShouldBeTrue();
        wait.IsLong(7, 100 + (6 * Little)).ShouldBeTrue();
    }

    [Fact]
    public void IsLong_AnotherItemOrNone_BeginsAnew()
    {
        var wait = new OldestWait();
        wait.IsLong(7, 100);
        wait.IsLong(8, 100 + (5 * Little)).ShouldBeFalse("the one before has been taken");
        wait.IsLong(8, 100 + (10 * Little)).ShouldBeTrue();
        wait.IsLong(null, 100 + (11 * Little)).ShouldBeFalse();
        wait.IsLong(null, 100 + (20 * Little)).ShouldBeFalse("there is none");
        wait.IsLong(8, 100 + (21 * Little)).ShouldBeFalse("what was put there meanwhile is new");
    }

    [Fact]
    public void IsLong_TheFirstNumber_IsNotTakenForSeen() => new OldestWait().IsLong(0, 1_000).ShouldBeFalse();
}
