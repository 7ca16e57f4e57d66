using AdaptivePool.Control;
using AdaptivePool.Simulation.Classes;
using AdaptivePool.Sizing;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.Sizing;

/// <content>Classes that may have a server behind them, and what idle cores and a start far above the best say of them.</content>
public partial class SizingScenarioTests
{
    // A server that waits for a disk or a lock leaves a third of the cores idle. That is no room: the driver keeps each connection that a look above opens,
    // and goes round through all of them.
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void Decide_ServerLeavesCoresIdle_IsShownMoreThreadsAFewTimes(int seed)
    {
        SizingSimulation simulation = new(seed: seed) { ServerNoise = 0.3 };
        SimulatedWork work = s_local with { ServerCpuSeconds = 0.000_1, RotationLoss = 0.25 };
        SimulatedClass c = simulation.Add(work, new HillClimbingController(), new() { MaxLimit = 2_048, StartLimit = 72 });
        c.SetClients(256);

        simulation.Run(38);

        double[] changes = [.. c.Decisions.Select(static d => d.At), 38];
        double shown = c.Decisions.Select((d, i) => d.Decision.Limit > 18 ? changes[i + 1] - d.At : 0).Sum();
        // By the search, as often as its budget allows.
        shown.ShouldBeLessThan(1.5, c.Log());
        c.Policy.Verified.ShouldBeLessThanOrEqualTo(18, c.Log());
    }

    // Whoever sets 512 threads has them within a few answers where that slows nothing down, and at no moment before a server.
    [Fact]
    public void Decide_WishOfManyThreads_TakenByWhoWaitsEvenlyAndNotBeforeAServer()
    {
        ClassSizeSettings settings = new() { MaxLimit = 2_048, StartLimit = 8, Wished = 512 };
        SizingSimulation simulation = new();
        SimulatedClass even = simulation.Add(new() { BlockedSeconds = 0.05, CpuSeconds = 0.000_05, Sleeps = false }, new HillClimbingController(), settings);
        even.SetClients(600);
        simulation.RunUntil(() => even.Limit >= 512, 0.5).ShouldBeTrue(even.Log());

        simulation = new();
        SimulatedClass served = simulation.Add(s_local, new HillClimbingController(), settings with { });
        served.SetClients(600);
        simulation.Run(10);
        served.PeakLimit.ShouldBeLessThanOrEqualTo(16, served.Log());
    }

    // What ends while threads leave flatters the size that they leave.
    [Fact]
    public void Decide_StartFarAboveAndFewerAreWorse_TheStartItselfIsMeasured()
    {
        SizingSimulation simulation = new();
        SimulatedWork work = new() { BlockedSeconds = 0.2, Sleeps = false, CpuSeconds = 0.000_1, Spread = 0.5 };
        SimulatedClass c = simulation.Add(work, new HillClimbingController(), new() { MaxLimit = 2_048, StartLimit = 512 });
        c.SetClients(600);

        simulation.RunUntil(() => c.Saw(DecisionReason.RampRefused), 6).ShouldBeTrue(c.Log());
        c.Policy.State.ShouldBe(nameof(RampPhase.Baseline), c.Log());

        simulation.Run(5);
        c.Limit.ShouldBeGreaterThanOrEqualTo(512, c.Log());
    }
}
