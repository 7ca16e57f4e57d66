using AdaptivePool.Control;
using AdaptivePool.Simulation.Classes;
using AdaptivePool.Sizing;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.Sizing;

/// <summary>The memory of optima on the plant: known work is at its size at once, a wrong memory costs a trial.</summary>
public class MemoryScenarioTests
{
    private static readonly SimulatedWork s_partner = new() { BlockedSeconds = 0.05, CpuSeconds = 0.000_02 };
    private static readonly SimulatedWork s_reads = new() { BlockedSeconds = 0.02, CpuSeconds = 0.000_2, Sleeps = false, Spread = 0.3 };
    private static readonly SimulatedWork s_database = new() { Database = ThroughputCurve.RemoteDatabase, Spread = 0.5 };

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void Decide_KnownWorkAfterARestart_NinetyPercentWithin300Ms(int seed)
    {
        OptimumMemory memory = new();
        (SizingSimulation first, SimulatedClass learned) = Start(s_reads, 400, memory, seed);
        first.Run(15);
        double best = learned.Rate(4, 15);
        memory.Count.ShouldBeGreaterThan(0, learned.Log());

        (SizingSimulation second, SimulatedClass again) = Start(s_reads, 400, memory, seed + 10);
        second.Run(1);

        again.Saw(DecisionReason.Remembered).ShouldBeTrue(again.Log());
        again.Rate(0.3, 0.5).ShouldBeGreaterThan(0.9 * best, again.Log());
        again.Saw(DecisionReason.RampRefused).ShouldBeFalse(again.Log());
        again.PeakLimit.ShouldBeLessThanOrEqualTo(learned.Policy.Verified, again.Log());
    }

    // From the change, not from an alarm: 0.05 s pass before the new work completes anything at all, 0.5 s on the slow side.
    [Fact]
    public void Decide_TwoKnownKindsOfWorkInTurn_EachAtItsSizeWithinASecond()
    {
        // A loan that grows at half the pace leaves more of the way to the ramp. The way decides under which profiles the optimum is kept: those of the faster one look like the database at 128 threads.
        OptimumMemory memory = new();
        SizingSimulation simulation = new(seed: 1);
        SimulatedClass c = simulation.Add(s_partner, settings: new() { Cores = 2, MaxLimit = 2_048, TaskWaitFloor = TimeSpan.FromMilliseconds(10) }, memory: memory);
        c.SetClients(512);
        simulation.Run(4);
        c.Work = s_database;
        simulation.Run(12);
        double database = c.Rate(14, 16);
        c.Work = s_partner;
        simulation.Run(5);
        c.Work = s_database;
        simulation.Run(5);
        c.Work = s_partner;
        simulation.Run(3);

        c.Rate(16.8, 17.3).ShouldBeGreaterThan(9_000, c.Log());
        c.Rate(22, 23).ShouldBeGreaterThan(0.85 * database, c.Log());
        c.Rate(26.8, 27.3).ShouldBeGreaterThan(9_000, c.Log());
        c.Decisions.Count(static d => d.Decision.Reason == DecisionReason.Remembered).ShouldBe(3, c.Log());
    }

    [Fact]
    public void Decide_RememberedSizeIsFarTooBig_IsRefusedForgottenAndCostsLittle()
    {
        (SizingSimulation without, SimulatedClass reference) = Start(s_database, 1_024, new(), 4);
        without.Run(8);
        OptimumMemory memory = new();
        WorkloadProfile asItLooksAtTwoThreads = new() { Cores = 2, ActiveSeconds = 0.000_13, WaitingSeconds = 0.001_2 };
        memory.Remember("", asItLooksAtTwoThreads, 512, 9_000);

        (SizingSimulation with, SimulatedClass c) = Start(s_database, 1_024, memory, 4);
        with.Run(8);

        c.Saw(DecisionReason.Remembered).ShouldBeTrue(c.Log());
        c.Saw(DecisionReason.RampRefused).ShouldBeTrue(c.Log());
        memory.ToList().ShouldNotContain(static r => r.Size > 64);
        c.Decisions.Count(static d => d.Decision.Reason == DecisionReason.Remembered && d.Decision.Limit > 64).ShouldBe(1, c.Log());
        c.Completed.ShouldBeGreaterThan((long)(0.8 * reference.Completed), c.Log());
        c.Rate(5, 8).ShouldBeGreaterThan(0.9 * reference.Rate(5, 8), c.Log());
    }

    [Fact]
    public void Decide_RememberedSizeIsTooSmall_TheSearchGoesOnFromThere()
    {
        OptimumMemory memory = new();
        memory.Remember("", new() { Cores = 2, ActiveSeconds = 0.000_2, WaitingSeconds = 0.02 }, 16, 10_000);

        (SizingSimulation simulation, SimulatedClass c) = Start(s_reads, 400, memory, 5);
        simulation.Run(8);

        c.Saw(DecisionReason.Remembered).ShouldBeTrue(c.Log());
        c.Rate(6, 8).ShouldBeGreaterThan(9_000, c.Log());
        memory.ToList().ShouldContain(static r => r.Size > 150);
    }

    [Fact]
    public void Decide_MemoryOfManyThreadsForWorkThatBurns_NeverAboveCoresPlusOne()
    {
        OptimumMemory memory = new();
        foreach (double cpu in new[] { 0.005, 0.01, 0.02 })
        {
            memory.Remember("", new() { Cores = 2, ActiveSeconds = cpu }, 50, 10_000);
        }

        (SizingSimulation simulation, SimulatedClass c) = Start(new() { CpuSeconds = 0.01 }, 64, memory, 6);
        simulation.Run(4);

        c.PeakLimit.ShouldBeLessThanOrEqualTo(3, c.Log());
    }

    [Fact]
    public void Decide_NoMemory_DecidesAsBefore()
    {
        (SizingSimulation with, SimulatedClass c) = Start(s_database, 256, new(), 7);
        SizingSimulation without = new(seed: 7);
        SimulatedClass d = without.Add(s_database);
        d.SetClients(256);

        with.Run(4);
        without.Run(4);

        c.Log().ShouldBe(d.Log());
    }

    private static (SizingSimulation Simulation, SimulatedClass Class) Start(SimulatedWork work, int clients, OptimumMemory memory, int seed)
    {
        SizingSimulation simulation = new(seed: seed);
        SimulatedClass added = simulation.Add(work, memory: memory);
        added.SetClients(clients);
        return (simulation, added);
    }
}
