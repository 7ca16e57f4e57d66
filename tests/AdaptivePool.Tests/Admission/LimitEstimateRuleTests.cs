using AdaptivePool.Admission;
using AdaptivePool.Control;
using AdaptivePool.Tests.Control.Simulation;

namespace AdaptivePool.Tests.Admission;

public sealed class LimitEstimateRuleTests
{
    [Fact]
    public void Observe_LoadThatRisesAndFalls_NamesThePeak()
    {
        var rule = new LimitEstimateRule();
        for (int round = 0; round < 5; round++)
        {
            foreach (int inside in new[] { 1, 2, 4, 8, 16, 32, 64, 256, 1_024 })
            {
                rule.Observe(inside, CostCurve.Postgres.Throughput(inside));
            }
        }

        rule.Limit.ShouldBeInRange(4, 16);
    }

    [Fact]
    public void Observe_OneWindow_IsNotBelieved()
    {
        var rule = new LimitEstimateRule();
        rule.Observe(16, 1_000).ShouldBe(DecisionReason.Hold);
        rule.Limit.ShouldBe(0);
        rule.Observe(16, 1_000);
        rule.Observe(16, 1_000).ShouldBe(DecisionReason.Initial);
        rule.Limit.ShouldBe(16);
    }

    [Fact]
    public void Observe_AnotherSizeIsHardlyBetter_KeepsItsAnswer()
    {
        var rule = new LimitEstimateRule();
        Repeat(() => rule.Observe(16, 1_000));
        Repeat(() => rule.Observe(32, 1_030));
        rule.Limit.ShouldBe(16);
        Repeat(() => rule.Observe(32, 1_400));
        rule.Limit.ShouldBe(32);
    }

    [Fact]
    public void Observe_TheWorkChanges_Follows()
    {
        var rule = new LimitEstimateRule();
        Repeat(() => rule.Observe(64, 2_000));
        Repeat(() => rule.Observe(8, 1_000));
        rule.Limit.ShouldBe(64);
        DecisionReason[] reasons = [.. Enumerable.Range(0, 20).Select(_ => rule.Observe(64, 300))];
        rule.Limit.ShouldBe(8);
        reasons.ShouldContain(DecisionReason.JumpDown);
    }

    private static void Repeat(Action action)
    {
        for (int i = 0; i < 10; i++)
        {
            action();
        }
    }
}
