using AdaptivePool.Control;
using AdaptivePool.Simulation.Classes;
using AdaptivePool.Sizing;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.Sizing;

/// <summary>The policies against the plant: one test for each promise about sizes that virtual time can show.</summary>
public partial class SizingScenarioTests
{
    private static readonly SimulatedWork s_remote = new() { Database = ThroughputCurve.RemoteDatabase, ColdSeconds = 0.2, Spread = 0.5 };
    private static readonly SimulatedWork s_sleeps = new() { BlockedSeconds = 0.05, CpuSeconds = 0.000_02 };
    private static readonly SimulatedWork s_local = s_remote with { Database = ThroughputCurve.LocalDatabase, DatabaseIsLocal = true };

    [Theory]
    [InlineData(0.003)]
    [InlineData(0)]
    public void Decide_200SleepersOfOneSecond_AllDoneWithin1150Ms(double tick)
    {
        (SizingSimulation simulation, SimulatedClass c) = Batch(new() { BlockedSeconds = 1 }, 200, tick);

        simulation.RunUntil(() => c.Completed == 200, 10).ShouldBeTrue(c.Log());

        simulation.Now.ShouldBeLessThan(tick > 0 ? 1.15 : 1.3, c.Log());
        c.PeakLimit.ShouldBeLessThanOrEqualTo(200);
    }

    [Fact]
    public void Decide_1000SleepersOf100Ms_AllDoneWithin400Ms()
    {
        (SizingSimulation simulation, SimulatedClass c) = Batch(new() { BlockedSeconds = 0.1 }, 1_000);

        simulation.RunUntil(() => c.Completed == 1_000, 10).ShouldBeTrue(c.Log());

        simulation.Now.ShouldBeLessThan(0.4, c.Log());
    }

    [Theory]
    [InlineData(0.02)]
    [InlineData(0.1)]
    public void Decide_200WaitsForTasksOf50Ms_AllDoneWithin250MsOfWarmCode(double cold)
    {
        (SizingSimulation simulation, SimulatedClass c) = Batch(new() { BlockedSeconds = 0.05, CpuSeconds = 0.000_1, ColdSeconds = cold }, 200);

        simulation.RunUntil(() => c.Completed == 200, 10).ShouldBeTrue(c.Log());

        (simulation.Now - cold).ShouldBeLessThan(0.25, c.Log());
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void Decide_400ClientsOf20Ms_FirstSecondOver75PercentAndSteadyAtTheKnee(int seed)
    {
        (SizingSimulation simulation, SimulatedClass c) = Closed(new() { BlockedSeconds = 0.02, CpuSeconds = 0.000_2, ColdSeconds = 0.02 }, 400, seed);

        simulation.Run(6);

        c.Rate(0, 1).ShouldBeGreaterThan(7_500, c.Log());
        c.Rate(0, 3).ShouldBeGreaterThan(8_800, c.Log());
        c.Rate(4, 6).ShouldBeGreaterThan(9_400, c.Log());
        c.Policy.Verified.ShouldBeInRange(190, 300, c.Log());
    }

    [Theory]
    [InlineData(1, true)]
    [InlineData(2, true)]
    [InlineData(3, true)]
    [InlineData(4, false)]
    [InlineData(5, false)]
    [InlineData(6, false)]
    public void Decide_ColdDatabase1024Clients_NeverAbove64AndNearTheBestSize(int seed, bool local)
    {
        (SizingSimulation simulation, SimulatedClass c) = Closed(local ? s_local : s_remote, 1_024, seed);

        simulation.Run(8);

        c.PeakLimit.ShouldBeLessThanOrEqualTo(64, c.Log());
        c.Policy.Verified.ShouldBeInRange(4, 12, c.Log());
        c.Rate(4, 8).ShouldBeGreaterThan(0.8 * (local ? ThroughputCurve.LocalDatabase : ThroughputCurve.RemoteDatabase).Peak, c.Log());
    }

    [Theory]
    [InlineData(72, 256, true)]
    [InlineData(512, 256, true)]
    [InlineData(2_048, 256, true)]
    [InlineData(72, 1_024, false)]
    [InlineData(512, 1_024, false)]
    [InlineData(512, 200, false)]
    public void Decide_StartFarAboveTheBest_NearTheBestAfterFiveSeconds(int start, int clients, bool local)
    {
        SizingSimulation simulation = new();
        SimulatedClass c = simulation.Add(local ? s_local : s_remote, settings: new() { MaxLimit = 2_048, StartLimit = start });
        c.SetClients(clients);

        simulation.Run(10);

        c.Rate(5, 10).ShouldBeGreaterThan(0.85 * (local ? ThroughputCurve.LocalDatabase : ThroughputCurve.RemoteDatabase).Peak, c.Log());
        c.Policy.Verified.ShouldBeLessThan(32, c.Log());
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void Decide_ColdDatabaseIrregularTicks_NeverAbove64(int seed)
    {
        SizingSimulation simulation = new(seed: seed) { Tick = 0, ServerNoise = 0.25 };
        SimulatedClass c = simulation.Add(s_remote with { ColdSeconds = 0.3 });
        c.SetClients(1_024);

        simulation.Run(8);

        c.PeakLimit.ShouldBeLessThanOrEqualTo(64, c.Log());
        c.Rate(4, 8).ShouldBeGreaterThan(0.7 * ThroughputCurve.RemoteDatabase.Peak, c.Log());
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void Decide_SlowConnects_PeakAtMost32AndRecovers(int seed)
    {
        (SizingSimulation simulation, SimulatedClass c) = Closed(s_remote with { ConnectSeconds = 1 }, 1_024, seed);

        simulation.Run(8);

        c.PeakLimit.ShouldBeLessThanOrEqualTo(32, c.Log());
        c.Rate(4, 8).ShouldBeGreaterThan(0.8 * ThroughputCurve.RemoteDatabase.Peak, c.Log());
    }

    [Fact]
    public void Decide_SlowConnects_LoansOfNonSleepersAreRepaid()
    {
        (SizingSimulation simulation, SimulatedClass c) = Closed(s_remote with { ConnectSeconds = 1 }, 1_024, 1);

        simulation.Run(8);

        c.Saw(DecisionReason.StallLoan).ShouldBeTrue();
        c.Saw(DecisionReason.LoanRepaid).ShouldBeTrue(c.Log());
        c.Saw(DecisionReason.LoanVerified).ShouldBeFalse(c.Log());
    }

    [Theory]
    [InlineData(0.000_01)]
    [InlineData(0.001)]
    [InlineData(0.05)]
    [InlineData(1.5)]
    public void Decide_CpuHogs_NeverAboveCoresPlusOne(double cpu)
    {
        (SizingSimulation simulation, SimulatedClass c) = Closed(new() { CpuSeconds = cpu, Spread = 0.3 }, 32, 1);

        simulation.Run(5);

        c.PeakLimit.ShouldBeLessThanOrEqualTo(3, c.Log());
    }

    [Fact]
    public void Decide_HogsInThreeClasses_SumStaysAtCoresPlusOne()
    {
        SizingSimulation simulation = new(cores: 4);
        for (int i = 0; i < 3; i++)
        {
            simulation.Add(new() { CpuSeconds = 0.02 }).SetClients(16);
        }

        simulation.Run(3);

        simulation.Classes.Sum(static c => c.Limit).ShouldBeLessThanOrEqualTo(5);
        simulation.Classes.ShouldAllBe(static c => c.Policy.IsHog && c.Limit >= 1);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void Decide_Mixture_EachClassFindsItsOwnLimit(int seed)
    {
        SizingSimulation simulation = new(seed: seed);
        SimulatedClass database = simulation.Add(s_local);
        SimulatedClass partner = simulation.Add(new() { BlockedSeconds = 0.05, CpuSeconds = 0.000_05, ColdSeconds = 0.05 });
        database.SetClients(512);
        partner.SetClients(512);

        simulation.Run(6);

        database.PeakLimit.ShouldBeLessThanOrEqualTo(64, database.Log());
        partner.Rate(3, 6).ShouldBeGreaterThan(9_000, partner.Log());
        partner.PeakLimit.ShouldBeLessThanOrEqualTo(640, partner.Log());
        database.Rate(3, 6).ShouldBeGreaterThan(2_000, database.Log());
    }

    [Fact]
    public void Decide_PartnerWhileOthersFillTheCpu_ClimbsTo600WithinTwoSeconds()
    {
        SizingSimulation simulation = new() { OthersCores = 1.9 };
        SimulatedClass partner = simulation.Add(new() { BlockedSeconds = 0.05, CpuSeconds = 0.000_005 });
        partner.SetClients(600);

        simulation.RunUntil(() => partner.Limit >= 600, 10).ShouldBeTrue(partner.Log());

        simulation.Now.ShouldBeLessThan(2, partner.Log());
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void Decide_SlowAnswersWhileOthersFillTheCpu_FewThreadsNeedNoProof(int seed)
    {
        SizingSimulation simulation = new(seed: seed) { OthersCores = 1.9 };
        SimulatedClass late = simulation.Add(new() { BlockedSeconds = 0.8, CpuSeconds = 0.000_3, Sleeps = false, Spread = 0.5 });
        late.SetClients(256);

        simulation.Run(3);

        late.Policy.Verified.ShouldBe(8, late.Log());
        simulation.Run(7);
        late.Rate(5, 10).ShouldBeGreaterThan(10, late.Log());
    }

    [Fact]
    public void Decide_512Clients_LimitStaysWithin125PercentOfTheUse()
    {
        (SizingSimulation simulation, SimulatedClass c) = Closed(new() { BlockedSeconds = 0.05 }, 512, 1);

        simulation.Run(4);

        c.PeakLimit.ShouldBeInRange(512, 640, c.Log());
    }

    [Fact]
    public void Decide_BlockersAmongShortLoops_OtherClassIsNotTouched()
    {
        SizingSimulation simulation = new();
        SimulatedClass loops = simulation.Add(new() { CpuSeconds = 0.000_05, BlockedSeconds = 0.001 });
        SimulatedClass blockers = simulation.Add(new() { BlockedSeconds = 2 });
        loops.SetClients(20);
        simulation.Run(1);
        blockers.Enqueue(300);

        simulation.RunUntil(() => blockers.Items.Count == 300, 5).ShouldBeTrue(blockers.Log());

        simulation.Now.ShouldBeLessThan(1.5, blockers.Log());
    }

    [Fact]
    public void Decide_IdleForAWhile_VerifiedLimitIsUsedAtOnceWhenLoadReturns()
    {
        (SizingSimulation simulation, SimulatedClass c) = Closed(new() { BlockedSeconds = 0.02, CpuSeconds = 0.000_1 }, 200, 1);
        simulation.Run(3);
        int verified = c.Policy.Verified;
        c.SetClients(0);
        simulation.Run(20);
        c.Policy.Verified.ShouldBe(verified, c.Log());

        c.SetClients(200);
        simulation.Run(0.05);

        c.Items.Count.ShouldBeGreaterThanOrEqualTo(Math.Min(200, verified), c.Log());
        verified.ShouldBeGreaterThan(100);
    }

    // A change that comes while the level of a fresh size is still being learned must not pass for what it has always been.
    [Theory]
    [InlineData(3.1)]
    [InlineData(3.4)]
    [InlineData(4)]
    [InlineData(6)]
    public void Decide_TransactionsBecomeSleeps_GrowsToAll(double moment)
    {
        (SizingSimulation simulation, SimulatedClass c) = Closed(s_remote, 512, 3, new HillClimbingController());
        simulation.Run(moment);
        c.Limit.ShouldBeLessThan(20);

        c.Work = s_sleeps;
        simulation.Run(5);

        c.Rate(moment + 4, moment + 5).ShouldBeGreaterThan(8_000, c.Log());
    }

    [Theory]
    [InlineData(2)]
    [InlineData(2.3)]
    [InlineData(3)]
    [InlineData(5)]
    public void Decide_SleepsBecomeTransactions_AlarmProbesDown(double moment)
    {
        (SizingSimulation simulation, SimulatedClass c) = Closed(s_sleeps, 512, 3, new HillClimbingController());
        simulation.Run(moment);
        c.Limit.ShouldBeGreaterThan(400);

        c.Work = s_remote with { ColdSeconds = 0 };
        simulation.Run(12);

        c.Saw(DecisionReason.WorkloadChange).ShouldBeTrue(c.Log());
        c.Limit.ShouldBeLessThan(40, c.Log());
    }

    [Fact]
    public void Decide_WorkloadWithinNoise_NoAlarm()
    {
        SizingSimulation simulation = new() { ServerNoise = 0.2 };
        SimulatedClass c = simulation.Add(s_remote, new HillClimbingController());
        c.SetClients(256);

        simulation.Run(20);

        c.Saw(DecisionReason.WorkloadChange).ShouldBeFalse(c.Log());
    }

    [Fact]
    public void Decide_OneCore_SizeOfOneGrows()
    {
        SizingSimulation simulation = new(cores: 1);
        SimulatedClass c = simulation.Add(new() { BlockedSeconds = 0.004, CpuSeconds = 0.000_1 });
        c.SetClients(100);

        simulation.Run(4);

        c.Limit.ShouldBeGreaterThan(20, c.Log());
    }

    [Fact]
    public void Decide_ItemThatNeverEnds_DoesNotFreezeTheRamp()
    {
        SizingSimulation simulation = new();
        SimulatedClass c = simulation.Add(new() { BlockedSeconds = 10_000 });
        c.Enqueue(1);
        simulation.Run(0.05);
        c.Work = new() { BlockedSeconds = 0.02, CpuSeconds = 0.000_1 };
        c.SetClients(200);

        simulation.Run(15);

        c.Rate(12, 15).ShouldBeGreaterThan(5_000, c.Log());
    }

    // It began at another size, and is no reason to look at none: who only waited for its end noticed no change of the work any more.
    [Fact]
    public void Decide_ItemThatNeverEnds_DoesNotFreezeTheHold()
    {
        SizingSimulation simulation = new(seed: 3);
        SimulatedClass c = simulation.Add(new() { BlockedSeconds = 10_000 }, new HillClimbingController());
        c.Enqueue(1);
        simulation.Run(0.05);
        c.Work = s_sleeps;
        c.SetClients(512);
        simulation.Run(25);
        c.Policy.State.ShouldBe("Hold", c.Log());
        c.Limit.ShouldBeGreaterThan(200, c.Log());
        c.Work = s_remote with { ColdSeconds = 0 };
        simulation.Run(12);

        c.Saw(DecisionReason.WorkloadChange).ShouldBeTrue(c.Log());
        c.Limit.ShouldBeLessThan(60, c.Log());
    }

    [Fact]
    public void Decide_SameSeed_SameDecisions()
    {
        string Run()
        {
            (SizingSimulation simulation, SimulatedClass c) = Closed(s_local, 256, 9);
            simulation.Run(3);
            return c.Log();
        }

        Run().ShouldBe(Run());
    }

    [Fact]
    public void Decide_MachineUnknown_SleepersStillGrow()
    {
        SizingSimulation simulation = new() { MachineKnown = false };
        SimulatedClass c = simulation.Add(new() { BlockedSeconds = 0.02, CpuSeconds = 0.000_1 });
        c.SetClients(200);

        simulation.Run(4);

        c.Rate(2, 4).ShouldBeGreaterThan(5_000, c.Log());
    }

    private static (SizingSimulation Simulation, SimulatedClass Class) Batch(SimulatedWork work, int items, double tick = 0.003)
    {
        SizingSimulation simulation = new() { Tick = tick };
        SimulatedClass c = simulation.Add(work);
        c.Enqueue(items);
        return (simulation, c);
    }

    private static (SizingSimulation Simulation, SimulatedClass Class) Closed(SimulatedWork work, int clients, int seed, IPoolController? controller = null)
    {
        SizingSimulation simulation = new(seed: seed);
        SimulatedClass c = simulation.Add(work, controller);
        c.SetClients(clients);
        return (simulation, c);
    }
}
