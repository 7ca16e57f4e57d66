using AdaptivePool.Control;
using AdaptivePool.Simulation.Classes;
using AdaptivePool.Sizing;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.Sizing;

public partial class ClassSizePolicyTests
{
    private static readonly ClassSizeSettings s_settings = new() { StartLimit = 2, MaxLimit = 1_000, Name = "reports" };
    private readonly ScriptedClass _class = new();

    [Fact]
    public void Decide_Holding_CostsNoMemory()
    {
        ClassSizePolicy policy = new(new() { StartLimit = 2 }, null);
        ScriptedClass observed = new() { BlockedShare = 0.7, IdleCores = 0, OwnCores = 2 };
        int traces = 0;
        void Tick()
        {
            observed.Complete(0.003, 12, 0.002);
            ClassDecision decision = policy.Decide(observed.Observation, observed.Machine);
            traces += decision.Trace is null ? 0 : 1;
            observed.Adopt(decision.Limit);
        }

        for (int i = 0; i < 2_000; i++)
        {
            Tick();
        }

        traces = 0;
        long spent = Allocation.Of(() =>
        {
            for (int i = 0; i < 500; i++)
            {
                Tick();
            }
        });

        traces.ShouldBe(0);
        policy.State.ShouldBe("Hold");
        spent.ShouldBe(0);
    }

    [Fact]
    public void Decide_QuotaShrinks_HogsAreCutToTheCoresThatAreLeft()
    {
        ClassSizePolicy policy = new(new() { StartLimit = 9, MaxLimit = 1_000 }, null);
        ScriptedClass hogs = new() { Limit = 9, BlockedShare = 0.02, OwnCores = 8, IdleCores = 0, Cores = 8 };
        Run(policy, hogs, 2).ShouldBe(9);

        (hogs.Cores, hogs.OwnCores) = (2, 2);
        ClassDecision decision = policy.Decide(hogs.Observation, hogs.Machine);

        decision.Limit.ShouldBe(3);
        decision.Reason.ShouldBe(DecisionReason.HogCap);
    }

    [Fact]
    public void Decide_QuotaGrows_HogsMayUseTheNewCores()
    {
        ClassSizePolicy policy = new(new() { StartLimit = 1, MaxLimit = 1_000 }, null);
        ScriptedClass hogs = new() { Limit = 1, BlockedShare = 0.02, OwnCores = 1, IdleCores = 0, Cores = 1 };
        Run(policy, hogs, 3).ShouldBeLessThanOrEqualTo(2);

        // A part of a core counts as one.
        hogs.Cores = 7.5;
        for (int i = 0; i < 4_000; i++)
        {
            hogs.OwnCores = Math.Min(7.5, hogs.Limit);
            hogs.IdleCores = 7.5 - hogs.OwnCores;
            Tick(policy, hogs, hogs.Limit * 0.6);
        }

        hogs.Limit.ShouldBeInRange(4, 9);
    }

    [Fact]
    public void Decide_WorkersStuckWhileOthersComplete_LimitGrowsByTheirPlacesAndShrinksAgain()
    {
        ClassSizePolicy policy = new(s_settings with { StartLimit = 8 }, null);
        _class.Limit = 8;
        for (int i = 0; i < 3_000; i++)
        {
            Tick(policy, completions: 12);
        }

        int before = _class.Limit;
        _class.StuckWaiting = 5;
        Tick(policy, completions: 12).Reason.ShouldBe(DecisionReason.StallLoan);
        _class.Limit.ShouldBe(before + 5);
        policy.Verified.ShouldBe(before, "the places of stuck workers are no measured size");

        _class.StuckWaiting = 0;
        Tick(policy, completions: 12).Reason.ShouldBe(DecisionReason.LoanRepaid);
        _class.Limit.ShouldBe(before);
    }

    [Fact]
    public void Decide_WorkersStuckAndNothingCompletes_NoPlacesBeyondTheLoan()
    {
        ClassSizePolicy policy = new(s_settings, null);
        (_class.StuckWaiting, _class.StuckElsewhere) = (0, 2);
        for (int i = 0; i < 2_000; i++)
        {
            _class.StuckElsewhere = _class.Limit;
            Tick(policy, completions: 0);
        }

        _class.Limit.ShouldBe(8, "a server that answers nobody gets the cold loan and no more");
    }

    [Fact]
    public void Decide_HogsThatNeverEnd_KeepTheirPlaces()
    {
        ClassSizePolicy policy = new(s_settings, null);
        (_class.BlockedShare, _class.IdleCores, _class.OwnCores) = (0.02, 0, 2);
        for (int i = 0; i < 2_000; i++)
        {
            _class.StuckElsewhere = _class.Limit;
            Tick(policy, completions: i % 10 == 0 ? 1 : 0);
        }

        _class.Limit.ShouldBeLessThanOrEqualTo(3);
    }

    [Fact]
    public void Decide_First_IsInitialWithTheStartLimit()
    {
        ClassSizePolicy policy = new(s_settings, null);

        ClassDecision decision = policy.Decide(_class.Observation, _class.Machine);

        decision.Limit.ShouldBe(2);
        decision.Reason.ShouldBe(DecisionReason.Initial);
        decision.Trace!.ClassName.ShouldBe("reports");
        policy.Verified.ShouldBe(2);
        policy.State.ShouldBe("Baseline");
    }

    [Theory]
    [InlineData(0, 10, 1)]
    [InlineData(7, 10, 7)]
    [InlineData(7, 4, 4)]
    [InlineData(5, 0, 1)]
    public void Decide_StartLimit_InsideTheBounds(int start, int max, int limit)
    {
        ClassSizePolicy policy = new(s_settings with { StartLimit = start, MaxLimit = max }, null);

        policy.Decide(_class.Observation, _class.Machine).Limit.ShouldBe(limit);
    }

    [Fact]
    public void Decide_NothingHappens_NoTraceAndHold()
    {
        ClassSizePolicy policy = new(s_settings, null);
        policy.Decide(_class.Observation, _class.Machine);
        (_class.Queued, _class.Active) = (0, 0);
        for (int i = 0; i < 1_000; i++)
        {
            _class.Wait(0.1);
            ClassDecision decision = policy.Decide(_class.Observation, _class.Machine);

            decision.ShouldBe(new ClassDecision(2, Trace: null));
        }
    }

    [Fact]
    public void Decide_FixedController_AlwaysItsSize()
    {
        SizingSimulation simulation = new();
        SimulatedClass c = simulation.Add(new() { BlockedSeconds = 0.05 }, new FixedController(17));
        c.SetClients(400);

        simulation.Run(2);

        c.Decisions.ShouldHaveSingleItem().Decision.Reason.ShouldBe(DecisionReason.Initial);
        c.Limit.ShouldBe(17);
        c.PeakLimit.ShouldBe(17);
        c.Policy.Verified.ShouldBe(17);
        c.Policy.State.ShouldBe("Fixed");
    }

    [Fact]
    public void Resize_FixedController_BoundsHold()
    {
        ClassSizePolicy policy = new(s_settings, new FixedController(17));
        policy.Decide(_class.Observation, _class.Machine).Limit.ShouldBe(17);

        policy.Resize(5);
        ClassDecision decision = policy.Decide(_class.Observation, _class.Machine);

        decision.Limit.ShouldBe(5);
        decision.Reason.ShouldBe(DecisionReason.ManualResize);
    }

    [Fact]
    public void Resize_Smaller_AtOnceAndNeverAboveAgain()
    {
        SizingSimulation simulation = new();
        SimulatedClass c = simulation.Add(new() { BlockedSeconds = 0.02, CpuSeconds = 0.000_1 });
        c.SetClients(300);
        simulation.Run(2);
        c.Limit.ShouldBeGreaterThan(100);
        double before = simulation.Now;
        int size = c.Limit;

        c.Policy.Resize(20);
        simulation.Run(2);

        ControllerTrace? told = c.Decisions.First(static d => d.Decision.Reason == DecisionReason.ManualResize).Decision.Trace;
        (told?.From, told?.To).ShouldBe((size, 20));
        c.Decisions.Where(d => d.At >= before).ShouldAllBe(static d => d.Decision.Limit <= 20);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(-1)]
    public void Resize_BadBound_Throws(int max) =>
        Should.Throw<ArgumentOutOfRangeException>(() => new ClassSizePolicy(s_settings, null).Resize(max));

    [Fact]
    public void Decide_LastingHogAtALargeVerifiedSize_CapAndStaysThere()
    {
        SizingSimulation simulation = new();
        SimulatedClass c = simulation.Add(new() { BlockedSeconds = 0.02, CpuSeconds = 0.000_1 });
        c.SetClients(200);
        simulation.Run(3);
        c.Limit.ShouldBeGreaterThan(100);

        c.Work = new() { CpuSeconds = 0.01 };
        simulation.Run(5);

        c.Saw(DecisionReason.HogCap).ShouldBeTrue(c.Log());
        c.Limit.ShouldBeLessThanOrEqualTo(3, c.Log());
        c.Policy.IsHog.ShouldBeTrue();
    }

    [Fact]
    public void Decide_ShortHogReading_VerifiedSizeStays()
    {
        SizingSimulation simulation = new();
        SimulatedClass c = simulation.Add(new() { BlockedSeconds = 0.02, CpuSeconds = 0.000_1 });
        c.SetClients(200);
        simulation.Run(3);
        int verified = c.Policy.Verified;

        simulation.OthersCores = 2;
        simulation.Run(0.5);
        simulation.OthersCores = 0;
        simulation.Run(0.5);

        c.Policy.Verified.ShouldBe(verified, c.Log());
    }

    [Fact]
    public void Decide_HeldDownByThePool_TrialIsGivenUp()
    {
        SizingSimulation simulation = new(maxThreads: 30);
        SimulatedClass first = simulation.Add(new() { BlockedSeconds = 0.02 }, settings: new() { StartLimit = 2, MaxLimit = 1_000 });
        SimulatedClass second = simulation.Add(new() { BlockedSeconds = 0.03 }, settings: new() { StartLimit = 2, MaxLimit = 1_000 });
        first.SetClients(200);
        second.SetClients(200);

        simulation.Run(5);

        (first.Limit + second.Limit).ShouldBeLessThanOrEqualTo(30);
        first.Policy.Verified.ShouldBeLessThanOrEqualTo(32, first.Log());
        first.Rate(3, 5).ShouldBeGreaterThan(400, first.Log());
        second.Rate(3, 5).ShouldBeGreaterThan(270, second.Log());
    }

    [Fact]
    public void Decide_PoolsMaximumBelowTheStep_TriesAndKeepsWhatIsGranted()
    {
        SizingSimulation simulation = new(maxThreads: 24);
        SimulatedClass busy = simulation.Add(new() { BlockedSeconds = 0.01 });
        simulation.Add(new() { BlockedSeconds = 0.01 });
        busy.SetClients(100);

        simulation.Run(3);

        busy.Policy.Verified.ShouldBe(24, busy.Log());
        busy.Rate(2, 3).ShouldBeGreaterThan(0.9 * busy.Policy.Verified / 0.01, busy.Log());
    }

    [Fact]
    public void Decide_ClientsGoAwayDuringATrial_VerifiedSizeReturns()
    {
        SizingSimulation simulation = new();
        SimulatedClass c = simulation.Add(new() { BlockedSeconds = 0.1 });
        c.SetClients(300);
        simulation.RunUntil(() => c.Policy.State == "Trial" && c.Limit > c.Policy.Verified, 5).ShouldBeTrue();
        c.SetClients(0);
        c.Enqueue(-c.Queued);

        simulation.Run(2);

        c.Limit.ShouldBe(c.Policy.Verified, c.Log());
        c.Saw(DecisionReason.DemandLimited).ShouldBeTrue(c.Log());
    }

    [Fact]
    public void HoldsUnverified_LoanAndItsTrial_UntilTheyEnd()
    {
        SizingSimulation simulation = new();
        SimulatedClass c = simulation.Add(new() { BlockedSeconds = 1 });
        c.Policy.HoldsUnverified.ShouldBeFalse();
        c.Enqueue(200);
        simulation.RunUntil(() => c.Limit == 200, 5).ShouldBeTrue(c.Log());
        c.Policy.HoldsUnverified.ShouldBeTrue();

        simulation.RunUntil(() => c.Completed == 200, 5).ShouldBeTrue();
        simulation.RunUntil(() => !c.Policy.HoldsUnverified, 1).ShouldBeTrue(c.Log());

        c.Limit.ShouldBe(c.Policy.Verified);
    }

    // Where no item waits, the sizing thread rests after one look if nothing is unverified: such a class had no sample for 15 s.
    [Theory]
    [InlineData(3, 0)]
    [InlineData(0, 3)]
    [InlineData(0, 0)]
    public void HoldsUnverified_AControllerThatDecidesWholeAndHasSeenOneLook_WantsSamples(int active, int completed)
    {
        var policy = new ClassSizePolicy(new() { MaxLimit = 100, StartLimit = 10 }, new HillClimbingController(new() { Profile = ControllerProfile.SeedWave }));
        var look = new ClassObservation { Now = TimeSpan.FromSeconds(1), Limit = 10, Active = active, Queued = 0, Completed = completed, Cores = 2 };
        policy.Decide(look, new MachineObservation(0, 2, 2, Known: true));

        policy.HoldsUnverified.ShouldBeTrue();
    }

    // A trial downwards is measured by what comes, and nothing comes: who waited for its end looked for good (rule R9).
    [Fact]
    public void HoldsUnverified_ClientsGoAwayDuringATrialDownwards_IsOver()
    {
        SizingSimulation simulation = new();
        SimulatedWork database = new() { Database = ThroughputCurve.RemoteDatabase, Spread = 0.5 };
        SimulatedClass c = simulation.Add(database, settings: new() { MaxLimit = 2_048, StartLimit = 512 });
        c.SetClients(1_024);
        simulation.RunUntil(() => c.Policy.State == "Trial" && c.Limit < c.Policy.Verified, 10).ShouldBeTrue(c.Log());
        c.SetClients(0);
        c.Enqueue(-c.Queued);
        simulation.RunUntil(() => c.Items.Count == 0, 60).ShouldBeTrue();

        simulation.RunUntil(() => !c.Policy.HoldsUnverified, 5).ShouldBeTrue(c.Policy.State);
    }

    [Fact]
    public void Decide_Controller_TakesOverOnceTheRampRests()
    {
        SizingSimulation simulation = new();
        StepController controller = new(static s => Math.Max(1, s.Target - 1), DecisionReason.JumpDown);
        SimulatedClass c = simulation.Add(new() { BlockedSeconds = 0.02, CpuSeconds = 0.000_2 }, controller);
        c.SetClients(1_000);

        simulation.Run(6);

        controller.Restarts.ShouldNotBeEmpty();
        controller.Samples.ShouldNotBeEmpty(c.Log());
        c.Saw(DecisionReason.JumpDown).ShouldBeTrue(c.Log());
        controller.Samples.ShouldAllBe(static s => s.MaxTarget <= 1_000, "no more than run and wait");
    }

    private static int Run(ClassSizePolicy policy, ScriptedClass observed, double seconds)
    {
        for (double end = observed.Now + seconds; observed.Now < end;)
        {
            Tick(policy, observed, 1.2);
        }

        return observed.Limit;
    }

    private static void Tick(ClassSizePolicy policy, ScriptedClass observed, double items)
    {
        observed.Complete(0.003, Math.Max(1, (int)items), 0.005);
        observed.Adopt(policy.Decide(observed.Observation, observed.Machine).Limit);
    }

    private ClassDecision Tick(ClassSizePolicy policy, int completions)
    {
        _class.Complete(0.003, completions, 0.002);
        ClassDecision decision = policy.Decide(_class.Observation, _class.Machine);
        _class.Adopt(decision.Limit);
        return decision;
    }
}
