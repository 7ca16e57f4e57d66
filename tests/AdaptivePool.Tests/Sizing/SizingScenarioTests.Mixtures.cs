using AdaptivePool.Control;
using AdaptivePool.Simulation.Classes;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.Sizing;

/// <content>Short items and long ones in one class: when all workers are in long ones, the short ones must not wait until the long ones end.</content>
public partial class SizingScenarioTests
{
    private static readonly SimulatedWork s_oneInEleven = new() { BlockedSeconds = 0.001, LongEvery = 11, LongSeconds = 1, CpuSeconds = 0.000_05 };

    [Fact]
    public void Decide_ShortAndLongSleepsAgain_TakesHardlyLongerThanALongOne()
    {
        SizingSimulation simulation = new();
        SimulatedClass c = simulation.Add(s_oneInEleven);
        for (int round = 1; round <= 3; round++)
        {
            double begun = simulation.Now;
            c.Enqueue(3_300);

            simulation.RunUntil(() => c.Completed == round * 3_300, 20).ShouldBeTrue(c.Log());

            (simulation.Now - begun).ShouldBeLessThan(2.5, c.Log());
            simulation.Run(1);
        }
    }

    // 32 threads do 348 a second of it, and each doubling takes as long as the long items of two generations.
    [Fact]
    public void Decide_ShortAndLongReadsAfterOtherWork_DoublesEveryTwoSeconds()
    {
        SizingSimulation simulation = new();
        SimulatedClass c = simulation.Add(new() { BlockedSeconds = 0.02, LongEvery = 200, LongSeconds = 1, Sleeps = false, CpuSeconds = 0.000_05 });
        c.SetClients(32);
        simulation.Run(4);
        c.SetClients(0);
        simulation.Run(1.5);
        c.Items.ShouldBeEmpty();
        (double begun, long before) = (simulation.Now, c.Completed);
        c.Work = s_oneInEleven with { Sleeps = false };
        c.Enqueue(3_300);

        simulation.RunUntil(() => c.Completed == before + 3_300, 20).ShouldBeTrue(c.Log());

        (simulation.Now - begun).ShouldBeLessThan(6, c.Log());
        c.Decisions.ShouldContain(d => d.At > begun && d.Decision.Reason == DecisionReason.RampVerified && d.Decision.Limit == 64, c.Log());
    }
}
