using AdaptivePool.Control;
using AdaptivePool.Sizing;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.Sizing;

/// <summary>Work that is another one before the level of its size is learned.</summary>
public partial class HoldPolicyTests
{
    [Theory]
    [InlineData(0.1, true)]
    [InlineData(0.5, false)]
    public void Observe_WorkIsAnotherOneBeforeItsLevelIsLearned_IsSaidAfterThreeSamples(double share, bool isSaid)
    {
        StepController controller = new(static s => s.MaxTarget);
        HoldPolicy policy = Begin(controller, 40, 10_000);
        _class.Queued = 100;

        Run(policy, 1, _ => share * 10_000).ShouldBe(isSaid);

        if (isSaid)
        {
            _last.ShouldNotBeNull().Reason.ShouldBe(DecisionReason.WorkloadChange);
            controller.Samples.Count.ShouldBe(3);
            controller.Samples.ShouldAllBe(static s => s.MinTarget == 40 && s.MaxTarget == 40);
        }
    }

    [Fact]
    public void Observe_LevelIsLearned_ItIsTheControllersToTell()
    {
        StepController controller = new(static s => s.Target);
        HoldPolicy policy = Begin(controller, 40, 10_000);
        _class.Queued = 100;
        while (controller.Samples.Count < 36)
        {
            Run(policy, 0.1, static _ => 10_000).ShouldBeFalse();
        }

        Run(policy, 3, static _ => 1_000).ShouldBeFalse();
    }

    [Theory]
    [InlineData(0.1, true)]
    [InlineData(0.5, false)]
    public void Observe_AlarmWhileOtherSizesMayBeTried_IsSaidWhereTheWorkMustBeAnotherOne(double share, bool isSaid)
    {
        StepController controller = new(static s => s.Target, DecisionReason.WorkloadChange);
        HoldPolicy policy = Begin(controller, 40, 10_000);
        _class.Queued = 100;
        while (controller.Samples.Count < 36)
        {
            Run(policy, 0.1, static _ => 10_000).ShouldBeFalse("the search begins anew by itself");
        }

        int before = controller.Samples.Count;

        Run(policy, 1, _ => share * 10_000).ShouldBe(isSaid);

        (controller.Samples.Count - before <= 2).ShouldBe(isSaid);
    }

    [Fact]
    public void Observe_TwoSamplesOfAStall_AreNoOtherWork()
    {
        StepController controller = new(static s => s.Target);
        HoldPolicy policy = Begin(controller, 40, 10_000);
        _class.Queued = 100;

        Run(policy, 3, _ => controller.Samples.Count % 3 == 2 ? 10_000 : 1_000).ShouldBeFalse();
        controller.Samples.Count.ShouldBeGreaterThan(9);
    }

    [Theory]
    [InlineData(0.45, 100, true)]
    [InlineData(0.65, 100, false)]
    [InlineData(4, 100, true)]
    [InlineData(0.1, 0, true)]
    [InlineData(4, 0, false)]
    public void Observe_FirstSamplesStrayInARow_AreOtherWorkWhereTheQueueDoesNotExplainThem(double share, int queued, bool isSaid)
    {
        StepController controller = new(static s => s.Target);
        HoldPolicy policy = Begin(controller, 40, 10_000);
        _class.Queued = queued;

        Run(policy, 1.8, _ => share * 10_000).ShouldBe(isSaid);
    }

    // All 40 items end at once, every half second: 80 a second, and 800 in a sample of that moment alone.
    [Fact]
    public void Observe_ItemsEndTogether_TheTimeBetweenCounts()
    {
        StepController controller = new(static s => s.Target);
        HoldPolicy policy = Begin(controller, 40, 400);
        _class.Queued = 100;
        bool isSaid = false;

        for (int i = 1; !isSaid && i < 1_000; i++)
        {
            _class.Complete(0.01, i % 50 == 0 ? 40 : 0, 0.5);
            isSaid = Observe(policy);
        }

        isSaid.ShouldBeTrue();
        _last.ShouldNotBeNull().Gain.ShouldBeLessThan(-1);
    }
}
