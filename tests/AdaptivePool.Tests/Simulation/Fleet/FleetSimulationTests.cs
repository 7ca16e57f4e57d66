using AdaptivePool.Simulation.Fleet;

namespace AdaptivePool.Tests.Simulation.Fleet;

/// <summary>The simulated fleet does what is known without it.</summary>
public sealed class FleetSimulationTests
{
    private static readonly FleetScenario s_eight = new() { Instances = 8, Seconds = 12 };

    [Fact]
    public void Run_LimitsOfAnEighth_ReachTheCapacityFairly()
    {
        FleetTrace trace = FleetSimulation.Run(s_eight, static _ => new FixedLaw(8), seed: 1);
        trace.Rate(2, 12).ShouldBeInRange(0.9 * s_eight.Server.Capacity, s_eight.Server.Capacity);
        trace.Spread(2, 12).ShouldBeLessThan(0.02);
    }

    [Fact]
    public void Run_UnequalLimits_AreUnfair()
    {
        FleetTrace trace = FleetSimulation.Run(s_eight, static i => new FixedLaw(i == 0 ? 32 : 8), seed: 1);
        trace.Spread(2, 12).ShouldBeGreaterThan(1);
        trace.Settled(2, 12, s_eight.Server.Capacity).ShouldBeGreaterThan(8);
    }

    [Fact]
    public void Run_CrowdedServer_IsSlowerWithoutAGate()
    {
        FleetScenario crowded = s_eight with { Server = new FleetServer(Crowding: 0.25) };
        double gated = FleetSimulation.Run(crowded, static _ => new FixedLaw(8), seed: 1).Rate(2, 12);
        FleetSimulation.Run(crowded, static _ => new FixedLaw(0), seed: 1).Rate(2, 12).ShouldBeLessThan(0.5 * gated);
    }

    [Fact]
    public void Run_AdaptiveGatesThatKnowOfNoOthers_ClimbWithoutEnd()
    {
        // What one wins by a higher limit the others lose: each sees throughput grow, up to as many as it has clients.
        FleetTrace trace = FleetSimulation.Run(s_eight with { Seconds = 40 }, static _ => new LonelyLaw(4), seed: 1);
        trace.Limits[^1].ShouldBeGreaterThan(3 * s_eight.Server.Slots);
    }
}
