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
}
