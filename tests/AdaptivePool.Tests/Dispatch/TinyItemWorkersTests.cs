using AdaptivePool.Dispatch;

namespace AdaptivePool.Tests.Dispatch;

public sealed class TinyItemWorkersTests
{
    private const double LongAgo = TinyItemWorkers.WaitMemorySeconds;

    [Theory]
    [InlineData(1, 1)]
    [InlineData(2, 1)]
    [InlineData(8, 7)]
    public void Usual_OfSomeCores_LeavesOneToWhoeverQueues(int cores, int expected) => TinyItemWorkers.Usual(cores).ShouldBe(expected);

    [Fact]
    public void Next_ItemsEndAndNoCoreIsIdle_IsTheUsual() => TinyItemWorkers.Next(queued: 100, isHeldUp: false, LongAgo, idleShare: 0.1, cores: 4).ShouldBe(3);

    [Fact]
    public void Next_HeldUp_LetsOthersHelp() => TinyItemWorkers.Next(queued: 1, isHeldUp: true, LongAgo, idleShare: 0, cores: 4).ShouldBe(int.MaxValue);

    [Fact]
    public void Next_ACoreIsIdle_LetsOthersHelp()
        => TinyItemWorkers.Next(queued: 1, isHeldUp: false, LongAgo, idleShare: 0.25, cores: 4).ShouldBe(int.MaxValue);

    [Fact]
    public void Next_NothingWaits_IsTheUsual() => TinyItemWorkers.Next(queued: 0, isHeldUp: false, LongAgo, idleShare: 1, cores: 4).ShouldBe(3);

    [Fact]
    public void Next_AnItemWaitedJustNow_CountsOnNoWorkers()
        => TinyItemWorkers.Next(queued: 0, isHeldUp: false, secondsSinceWait: 0.99, idleShare: 0, cores: 4).ShouldBe(int.MaxValue);

    [Fact]
    public void Next_IdleShareUnknown_GoesByProgress()
    {
        TinyItemWorkers.Next(queued: 1, isHeldUp: false, LongAgo, idleShare: double.NaN, cores: 2).ShouldBe(1);
        TinyItemWorkers.Next(queued: 1, isHeldUp: true, LongAgo, idleShare: double.NaN, cores: 2).ShouldBe(int.MaxValue);
    }

    [Fact]
    public void IsHeldUp_NothingEnds_FromItsPatienceOnUntilNothingWaits()
    {
        TinyItemWorkers.IsHeldUp(wasHeldUp: false, queued: 1, secondsWithoutEnd: 0.009).ShouldBeFalse();
        TinyItemWorkers.IsHeldUp(wasHeldUp: false, queued: 1, secondsWithoutEnd: 0.01).ShouldBeTrue();
        TinyItemWorkers.IsHeldUp(wasHeldUp: true, queued: 1, secondsWithoutEnd: 0).ShouldBeTrue();
        TinyItemWorkers.IsHeldUp(wasHeldUp: true, queued: 0, secondsWithoutEnd: 1).ShouldBeFalse();
    }
}
