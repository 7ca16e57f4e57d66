using AdaptivePool.Dispatch;
using AdaptivePool.Stacks;

namespace AdaptivePool.Tests.Dispatch;

public sealed class ClassCoreTests
{
    private readonly ClassCore _core = new("c", 1, isInFlight: false);

    [Fact]
    public void Shares_NoWaitLookedAtYet_AreZero()
    {
        _core.TaskWaitShare.ShouldBe(0);
        _core.ServerlessWaitShare.ShouldBe(0);
    }

    [Fact]
    public void DecaySampledWaits_ClassChangesWhatItDoes_FollowsAfterAFewMinutes()
    {
        Count(1_000, WaitTarget.Task);
        _core.TaskWaitShare.ShouldBe(1);
        for (int minute = 0; minute < 5; minute++)
        {
            _core.DecaySampledWaits();
            Count(100, WaitTarget.Network);
        }

        _core.TaskWaitShare.ShouldBeLessThan(0.2, "old waits weigh a thirty-second");
    }

    [Fact]
    public void DecaySampledWaits_AnyCounts_KeepsSharesOfOneAtMost()
    {
        Count(1, WaitTarget.Task);
        Count(3, WaitTarget.Local);
        for (int minute = 0; minute < 5; minute++)
        {
            _core.DecaySampledWaits();
            _core.ServerlessWaitShare.ShouldBe(1);
        }
    }

    [Fact]
    public void CountWait_AfterDeclaredWaits_CountsHookWaitsAlone()
    {
        for (int i = 0; i < 100; i++)
        {
            _core.CountWait(isDeclared: true);
        }

        _core.CountWait(isDeclared: false).ShouldBe(1, "the first waits that the hook sees are always looked at");
        _core.Waits.ShouldBe(101);
    }

    [Fact]
    public void Counts_OfANewClass_AreThoseThatWereAdded()
    {
        _core.Completed.ShouldBe(0);
        _core.AddCompleted(3);
        _core.AddCompleted(4);
        _core.Completed.ShouldBe(7);
    }

    [Fact]
    public void WakeThreshold_SetByAWorker_TellsWhetherItemsAreShort()
    {
        _core.HasShortItems.ShouldBeFalse("nothing was timed yet");
        _core.WakeThreshold = 1;
        _core.WakeThreshold.ShouldBe(1);
        _core.HasShortItems.ShouldBeTrue();
        _core.WakeThreshold = 0;
        _core.HasShortItems.ShouldBeFalse();
    }

    [Fact]
    public void IsServed_TinyItems_OnlyFromItsWorkersOn()
    {
        _core.SetLimit(3);
        _core.TinyWorkers = 2;
        _core.TinyWorkers.ShouldBe(2);
        var served = new List<bool>();
        var overserved = new List<bool>();
        foreach (int wakeThreshold in (int[])[0, int.MaxValue])
        {
            _core.WakeThreshold = wakeThreshold;
            for (int active = 0; active <= 3; active++)
            {
                served.Add(_core.IsServed);
                overserved.Add(_core.IsOverserved);
                _core.Limit.TryAcquire();
            }

            for (int active = 0; active < 3; active++)
            {
                _core.Limit.Release();
            }
        }

        served.ShouldBe([false, false, false, false, false, false, true, true]);
        overserved.ShouldBe([false, false, false, false, false, false, false, true]);
    }

    [Fact]
    public void IsEligible_WorkWaits_UntilTheLimitIsReachedOrItsWorkersSeeToIt()
    {
        _core.IsEligible.ShouldBeFalse("nothing waits");
        _core.Queue.Enqueue(new object(), WorkPriority.Normal);
        _core.QueuedCount.ShouldBe(1);
        _core.IsEligible.ShouldBeTrue();
        _core.Limit.TryAcquire();
        _core.IsEligible.ShouldBeFalse("the limit is reached");
        _core.SetLimit(2).ShouldBeTrue();
        _core.IsEligible.ShouldBeTrue();
        (_core.TinyWorkers, _core.WakeThreshold) = (1, int.MaxValue);
        _core.IsEligible.ShouldBeFalse("its workers see to it");
    }

    [Fact]
    public void SetLimit_UpAndDown_TellsOfARaiseAndKeepsThePeak()
    {
        Generation first = _core.Generation;
        _core.SetLimit(5).ShouldBeTrue();
        _core.Generation.ShouldNotBeSameAs(first);
        _core.SetLimit(5).ShouldBeFalse();
        _core.SetLimit(2).ShouldBeFalse();
        _core.Limit.Value.ShouldBe(2);
        _core.PeakLimit.ShouldBe(5);
    }

    [Fact]
    public void Shares_OfEachKindOfWait_CountItOnce()
    {
        Count(1, WaitTarget.Task);
        Count(2, WaitTarget.Local);
        Count(5, WaitTarget.Network);
        _core.TaskWaitShare.ShouldBe(1 / 8.0);
        _core.ServerlessWaitShare.ShouldBe(3 / 8.0);
    }

    private void Count(int waits, WaitTarget target)
    {
        for (int i = 0; i < waits; i++)
        {
            _core.CountSampledWait(target);
        }
    }
}
