using AdaptivePool.Simulation.Classes;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.Sizing;

/// <content>Loops whose tasks each queue the next one, so that hardly anything waits at any moment, however much is to come.</content>
public partial class SizingScenarioTests
{
    private const int Turns = 1_000;

    // The second time it is known how long a turn takes: nothing is lent before twice that time, and the class grows by measured steps.
    [Theory]
    [InlineData(0)]
    [InlineData(1.5)]
    public void Decide_LoopOfSleepsThatQueuesItsNextTask_IsDoneWithinTwentyOfThem(double othersCores)
    {
        SizingSimulation simulation = new() { OthersCores = othersCores };
        SimulatedClass c = simulation.Add(new() { BlockedSeconds = 0.1, CpuSeconds = 0.000_1 });
        for (int loops = 1; loops <= 3; loops++)
        {
            double begun = simulation.Now;
            c.EnqueueOneByOne(Turns);

            simulation.RunUntil(() => c.Completed == loops * Turns, 20).ShouldBeTrue(c.Log());

            (simulation.Now - begun).ShouldBeLessThan(2, c.Log());
            simulation.Run(1);
        }
    }

    // What is not seen is no demand: a server gets no more threads by a look than the ramp's own step.
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void Decide_LoopBeforeAServerThatQueuesItsNextTask_EndsNearTheBestSize(int seed)
    {
        SizingSimulation simulation = new(seed: seed);
        SimulatedClass c = simulation.Add(s_local);
        c.EnqueueOneByOne(100_000);

        simulation.Run(6);

        c.Rate(3, 6).ShouldBeGreaterThan(0.9 * s_local.Database!.At(8), c.Log());
        c.PeakLimit.ShouldBeLessThanOrEqualTo(32, c.Log());
    }
}
