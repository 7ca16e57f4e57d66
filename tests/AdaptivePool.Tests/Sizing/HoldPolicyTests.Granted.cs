using AdaptivePool.Control;
using AdaptivePool.Sizing;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.Sizing;

/// <content>Sizes that the pool's maximum, another class or the memory does not grant.</content>
public partial class HoldPolicyTests
{
    [Fact]
    public void Observe_SizeAboveIsNotGranted_ControllerGoesOnInsideWhatIs()
    {
        bool up = false;
        StepController controller = new(
            s =>
            {
                up ^= s.Target == 40;
                return s.Target != 40 ? 40 : up ? s.MaxTarget : s.MinTarget;
            },
            DecisionReason.Wave);
        HoldPolicy policy = Begin(controller, 40);
        (_class.BlockedShare, _class.SleepingShare) = (0.8, 0);
        _granted = 40;

        Run(policy, 10, static _ => 1_000);

        controller.Samples.ShouldContain(static s => s.Target > 40 && s.MaxTarget == 40);
        controller.Samples.Count(static s => s.Target < 40).ShouldBeGreaterThan(5);
        _kept.Size.ShouldBe(40);
    }

    [Fact]
    public void Observe_SizeAboveIsNotGranted_IsNoLookInVain()
    {
        StepController controller = new(static s => s.Target > 40 ? 40 : s.MaxTarget, DecisionReason.Wave);
        HoldPolicy policy = Begin(controller, 40);
        (_class.BlockedShare, _class.SleepingShare) = (0.8, 0);
        _granted = 40;

        Run(policy, 20, static _ => 1_000);

        controller.Samples.Count(static s => s.Target > 40).ShouldBeGreaterThan(20, "a server would have been shown more four times");
    }

    [Fact]
    public void Observe_SizeAboveIsNotGrantedWhileTimeStandsStill_IsNoSample()
    {
        StepController controller = new(static s => s.Target > 40 ? 40 : s.MaxTarget, DecisionReason.Wave);
        HoldPolicy policy = Begin(controller, 40);
        (_class.BlockedShare, _class.SleepingShare) = (0.8, 0);
        _granted = 40;
        Run(policy, 10, static _ => 1_000);
        while (policy.Limit == 40)
        {
            Run(policy, 0.01, static _ => 1_000);
        }

        // A collection that takes a whole tick is no time: two looks are at the same moment, the first of them opens the window.
        TimeSpan heldDown = TimeSpan.FromSeconds(1);
        policy.Observe(_class.Observation with { Elapsed = heldDown }, _class.Machine, heldDown);
        policy.Observe(_class.Observation, _class.Machine, heldDown);
        policy.Observe(_class.Observation with { Completed = _class.Observation.Completed + 1 }, _class.Machine, heldDown);

        controller.Samples.ShouldAllBe(static s => s.Elapsed > TimeSpan.Zero);
        policy.Limit.ShouldBeGreaterThan(40);
    }
}
