using AdaptivePool.Blocking;

namespace AdaptivePool.Tests.Blocking;

/// <summary>On virtual time: eight looks per second, a timeout of 1 s.</summary>
public sealed class DeadlockRuleTests
{
    private static readonly DeadlockObservation s_stuck = new(Size: 3, MaxThreads: 3, Active: 2, Blocked: 2, Queued: 5, Heartbeats: 7, ActiveHeartbeats: 6);
    private readonly DeadlockRule _rule = new(1);

    [Fact]
    public void Decide_StuckForTheTimeout_HoldsFromThenOn()
    {
        Look(s_stuck, 8).ShouldBeFalse("the first look only sees where the heartbeats are");
        Look(s_stuck, 1).ShouldBeTrue();
        Look(s_stuck, 100).ShouldBeTrue();
    }

    [Fact]
    public void Decide_SomethingCompletes_Ends()
    {
        Look(s_stuck, 20).ShouldBeTrue();
        Look(s_stuck with { Heartbeats = 9, ActiveHeartbeats = 8 }, 8).ShouldBeFalse("the time begins anew");
        Look(s_stuck with { Heartbeats = 9, ActiveHeartbeats = 8 }, 1).ShouldBeTrue();
    }

    [Fact]
    public void Decide_QueueIsEmptied_BeginsNotButDoesNotEndEither()
    {
        Look(s_stuck with { Queued = 0 }, 50).ShouldBeFalse("nothing waits for the stuck workers");
        Look(s_stuck, 20).ShouldBeTrue();
        Look(s_stuck with { Queued = 0 }, 5).ShouldBeTrue("what lent threads have run away frees no worker");
    }

    [Fact]
    public void Decide_OthersComplete_BeginsNotButDoesNotEndEither()
    {
        for (int i = 0; i < 50; i++)
        {
            Look(s_stuck with { Heartbeats = 10 + i }, 1).ShouldBeFalse("something completes");
        }

        Look(s_stuck, 20).ShouldBeTrue();
        Look(s_stuck with { Heartbeats = 99 }, 5).ShouldBeTrue("the stuck ones have not moved");
    }

    [Fact]
    public void Decide_OneWorkerRuns_IsNoDeadlock() => Look(s_stuck with { Blocked = 1 }, 50).ShouldBeFalse();

    [Fact]
    public void Decide_MoreThreadsAllowed_IsNoDeadlock() => Look(s_stuck with { MaxThreads = 4 }, 50).ShouldBeFalse();

    [Fact]
    public void Decide_FixedSizeIsUsedUp_IsOneBelowTheMaximumToo()
    {
        DeadlockObservation fixedSize = s_stuck with { MaxThreads = 1_000, IsFixed = true };
        Look(fixedSize, 9).ShouldBeTrue();
        Look(fixedSize with { IsFixed = false }, 1).ShouldBeTrue("what lent threads have queued has room, and those that are stuck still are");
        Look(fixedSize with { IsFixed = false, ActiveHeartbeats = fixedSize.ActiveHeartbeats + 2 }, 1).ShouldBeFalse("one of them has moved");
        Look(fixedSize with { IsFixed = false }, 99).ShouldBeFalse("what waits has room");
    }

    [Fact]
    public void Decide_MaximumIsRaised_Ends()
    {
        Look(s_stuck, 20).ShouldBeTrue();
        Look(s_stuck with { MaxThreads = 4 }, 1).ShouldBeFalse("a thread more may be started as usual");
    }

    [Fact]
    public void Decide_NoWorkers_IsNoDeadlock() => Look(new DeadlockObservation(0, 0, 0, 0, 5, 0, 0), 50).ShouldBeFalse();

    [Fact]
    public void Decide_WorkerRunsInBetween_BeginsAnew()
    {
        Look(s_stuck, 8).ShouldBeFalse();
        Look(s_stuck with { Blocked = 1 }, 1).ShouldBeFalse();
        Look(s_stuck, 7).ShouldBeFalse();
    }

    [Fact]
    public void Decide_InfiniteTimeout_Never()
    {
        var never = new DeadlockRule(double.PositiveInfinity);
        for (int i = 0; i < 1_000; i++)
        {
            never.Decide(s_stuck, 1_000).ShouldBeFalse();
        }
    }

    private bool Look(DeadlockObservation seen, int looks)
    {
        bool holds = false;
        for (int i = 0; i < looks; i++)
        {
            holds = _rule.Decide(seen, 0.125);
        }

        return holds;
    }
}
