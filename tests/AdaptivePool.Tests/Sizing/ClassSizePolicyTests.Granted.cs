using AdaptivePool.Control;
using AdaptivePool.Sizing;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.Sizing;

/// <content>A kept size that the pool's maximum, another class or the memory does not grant.</content>
public partial class ClassSizePolicyTests
{
    [Theory]
    [InlineData(9, false)]
    [InlineData(11, true)]
    public void Decide_KeptSizeIsNotGranted_GoesOnFromWhatIsAfterTenSeconds(double seconds, bool isOver)
    {
        ClassSizePolicy policy = new(s_settings with { StartLimit = 8 }, null);
        ScriptedClass served = new() { Limit = 8, BlockedShare = 0.7, OwnCores = 2, IdleCores = 0 };
        bool wentOn = false;
        void Tick(int granted)
        {
            served.Complete(0.01, 10, 0.008);
            ClassDecision decision = policy.Decide(served.Observation, served.Machine);
            wentOn |= decision.Reason == DecisionReason.Reinitialized;
            served.Adopt(Math.Min(decision.Limit, granted));
        }

        for (int i = 0; i < 300; i++)
        {
            Tick(granted: 1_000);
        }

        policy.State.ShouldBe("Hold");
        wentOn.ShouldBeFalse();
        for (int i = 0; i < 100 * seconds; i++)
        {
            Tick(granted: 3);
        }

        wentOn.ShouldBe(isOver);
        policy.Verified.ShouldBe(isOver ? 3 : 8);
    }

    // Another class takes more or less of the pool each moment: no size is there for long enough to be measured, and what was found must not be lost.
    [Fact]
    public void Decide_LessThanTheKeptSizeIsGrantedButNeverTheSameForLong_IsKept()
    {
        ClassSizePolicy policy = new(s_settings with { StartLimit = 8 }, null);
        ScriptedClass served = new() { Limit = 8, BlockedShare = 0.7, OwnCores = 2, IdleCores = 0 };
        for (int i = 0; i < 3_000; i++)
        {
            served.Complete(0.01, 10, 0.008);
            ClassDecision decision = policy.Decide(served.Observation, served.Machine);
            int granted = i < 300 ? 1_000 : 3 + (i / 100 % 2);
            served.Adopt(Math.Min(decision.Limit, granted));
        }

        policy.Verified.ShouldBe(8);
    }

    // As in a class with a weight: what was below was never measured, and the class stayed as it was whatever its work became.
    [Fact]
    public void Decide_LimitInForceIsNeverLess_ThatIsMeasuredAndNothingBelowIsTried()
    {
        const int Least = 8;
        StepController controller = new(static s => s.MinTarget, DecisionReason.Wave);
        ClassSizePolicy policy = new(s_settings with { StartLimit = 2, FreshRest = TimeSpan.Zero, ServerRest = TimeSpan.Zero }, controller);
        ScriptedClass weighted = new() { Limit = 2, Least = Least, BlockedShare = 0.7, OwnCores = 2, IdleCores = 0 };
        for (int i = 0; i < 2_000; i++)
        {
            weighted.Complete(0.01, 10, 0.008);
            weighted.Adopt(Math.Max(Least, policy.Decide(weighted.Observation, weighted.Machine).Limit));
        }

        policy.Verified.ShouldBeGreaterThanOrEqualTo(Least);
        controller.Samples.Count.ShouldBeGreaterThan(10);
        controller.Samples.ShouldAllBe(static s => s.MinTarget >= Least);
    }
}
