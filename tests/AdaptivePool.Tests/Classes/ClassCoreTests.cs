using AdaptivePool.Classes;

namespace AdaptivePool.Tests.Classes;

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
        Count(1_000, forTask: true, forNetwork: false);
        _core.TaskWaitShare.ShouldBe(1);
        for (int minute = 0; minute < 5; minute++)
        {
            _core.DecaySampledWaits();
            Count(100, forTask: false, forNetwork: true);
        }

        _core.TaskWaitShare.ShouldBeLessThan(0.2, "old waits weigh a thirty-second");
    }

    [Fact]
    public void DecaySampledWaits_AnyCounts_KeepsSharesOfOneAtMost()
    {
        Count(1, forTask: true, forNetwork: false);
        Count(3, forTask: false, forNetwork: false);
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
            _core.CountDeclaredWait();
        }

        _core.CountWait().ShouldBe(1, "the first waits that the hook sees are always looked at");
        _core.Waits.ShouldBe(101);
    }

    private void Count(int waits, bool forTask, bool forNetwork)
    {
        for (int i = 0; i < waits; i++)
        {
            _core.CountSampledWait(forTask, forNetwork);
        }
    }
}
