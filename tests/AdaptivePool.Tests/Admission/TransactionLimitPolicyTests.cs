using AdaptivePool.Admission;
using AdaptivePool.Control;
using AdaptivePool.Simulation;
using AdaptivePool.Simulation.Curves;

namespace AdaptivePool.Tests.Admission;

public sealed class TransactionLimitPolicyTests
{
    private const int Clients = 1_024;
    private const int Seeds = 12;
    private static readonly TimeSpan s_second = TimeSpan.FromSeconds(1);

    /// <summary>The median of the seeds; and each of them, which leaves room for one that noise has misled for a while.</summary>
    [Theory]
    [InlineData("postgres", 4)]
    [InlineData("postgres", 64)]
    [InlineData("postgres", 1_000)]
    [InlineData("tier-2gb", 4)]
    [InlineData("tier-2gb", 64)]
    [InlineData("tier-2gb", 1_000)]
    [InlineData("tier-12gb", 4)]
    [InlineData("tier-12gb", 64)]
    [InlineData("tier-12gb", 1_000)]
    [InlineData("tier-32gb", 4)]
    [InlineData("tier-32gb", 64)]
    [InlineData("tier-32gb", 1_000)]
    public void Limit_FromAnyStart_Gives95PercentOfTheBestAfterTenSeconds(string curve, int start)
    {
        double[] shares = Shares(seed =>
        {
            SimulatedGate gate = Gate(Curve(curve), start, seed);
            gate.Run(10);
            return gate.Run(20);
        });

        shares[Seeds / 2].ShouldBeGreaterThanOrEqualTo(0.95);
        shares[0].ShouldBeGreaterThanOrEqualTo(0.7);
    }

    /// <summary>A limit that was set by hand, where every sample takes seconds.</summary>
    [Theory]
    [InlineData("postgres", 0.97)]
    [InlineData("heavy48", 0.95)]
    [InlineData("tier-2gb", 0.95)]
    [InlineData("tier-12gb", 0.97)]
    [InlineData("io200", 0.98)]
    public void Limit_FromFarAbove_IsDownAfterTenSeconds(string curve, double afterwards)
    {
        double[] shares = Shares(seed =>
        {
            SimulatedGate gate = Gate(Curve(curve), 1_000, seed);
            gate.Run(10);
            return gate.Run(20);
        });

        shares[Seeds / 2].ShouldBeGreaterThanOrEqualTo(afterwards);
        shares[0].ShouldBeGreaterThanOrEqualTo(0.8);
    }

    /// <summary>A machine that does other things too, and a database whose caches are cold: throughput swings by a fifth and rises to more than double on its
    /// own.</summary>
    [Theory]
    [InlineData("postgres")]
    [InlineData("heavy48")]
    [InlineData("tier-2gb")]
    [InlineData("tier-12gb")]
    public void Limit_FromTheHighestStartOnAColdNoisyDatabase_Gives95PercentOfTheBestAfterTenSeconds(string curve)
    {
        CostCurve warm = Curve(curve);
        CostCurve At(double seconds) => CostCurve.Formula("cold", n => warm.Throughput(n) * (1 - (0.55 * Math.Exp(-seconds / 5))));
        WorkloadChange[] warming = [.. Enumerable.Range(1, 60).Select(i => new WorkloadChange(i / 2.0, At(i / 2.0)))];
        double[] shares = Shares(seed =>
        {
            var settings = new SimulationSettings { Seed = seed, IsCpuKnown = false, Noise = 0.2, Correlation = 0.8, Changes = warming };
            var gate = new SimulatedGate(Policy(TransactionLimitPolicy.HighestStart), At(0), settings, Clients);
            gate.Run(10);
            return gate.Run(20);
        });

        shares[Seeds / 2].ShouldBeGreaterThanOrEqualTo(0.95);
        shares[0].ShouldBeGreaterThanOrEqualTo(0.85);
    }

    [Fact]
    public void Limit_AtRest_IsHardlyTried()
    {
        SimulatedGate gate = Gate(CostCurve.Postgres, 16, seed: 1);
        gate.Run(10);
        int before = gate.Decisions.Count(static d => d.Decision.Trace!.From != d.Decision.Trace.To);
        gate.Run(60);
        (gate.Decisions.Count(static d => d.Decision.Trace!.From != d.Decision.Trace.To) - before).ShouldBeLessThan(120);
    }

    [Theory]
    [InlineData("postgres", "tier-32gb")]
    [InlineData("tier-32gb", "postgres")]
    [InlineData("postgres", "tier-2gb")]
    [InlineData("tier-12gb", "heavy48")]
    public void Limit_TheMixChanges_FindsTheNewBest(string before, string after)
    {
        double[] shares = Shares(seed =>
        {
            SimulatedGate gate = Gate(Curve(before), 4, seed, new WorkloadChange(30, Curve(after)));
            gate.Run(40);
            return gate.Run(20);
        });

        shares[Seeds / 2].ShouldBeGreaterThanOrEqualTo(0.95);
    }

    [Fact]
    public void Limit_FromALowStart_GrowsInSmallStepsAndNeverFarPastTheBest()
    {
        for (int seed = 1; seed <= Seeds; seed++)
        {
            SimulatedGate gate = Gate(CostCurve.Postgres, 4, seed);
            gate.Run(60);
            gate.Peak.ShouldBeLessThanOrEqualTo(2 * CostCurve.Postgres.SmallestBestSize);
        }
    }

    [Fact]
    public void Probe_OfALimitInUse_NeverTakesMoreThanThreeQuartersAway()
    {
        SimulatedGate gate = Gate(CostCurve.Tier32Gb, 64, seed: 1);
        gate.Run(60);
        gate.Lowest.ShouldBeGreaterThanOrEqualTo(CostCurve.Tier32Gb.SmallestBestSize / 4);
    }

    [Fact]
    public void Limit_HardlyAnybodyWaits_IsLeftAlone()
    {
        var policy = Policy(16);
        Feed(policy, 16, 200, waited: 0.5).ShouldAllBe(static d => d.Limit == 16);
    }

    [Fact]
    public void Limit_AsManyAreTurnedAway_CountsAsWaiting()
    {
        var policy = Policy(16);
        Feed(policy, 16, 50, waited: 0, turnedAway: 1).ShouldContain(static d => d.Limit != 16);
    }

    [Fact]
    public void Limit_MostTransactionsFail_IsLeftAlone()
    {
        var policy = Policy(16);
        Feed(policy, 16, 200, failed: 2).ShouldAllBe(static d => d.Limit == 16 && d.Reason == DecisionReason.Hold);
        double.IsNaN(policy.PerSecond).ShouldBeTrue();
    }

    [Fact]
    public void Limit_NothingEnds_IsLeftAloneAndTheSampleGoesOn()
    {
        var policy = Policy(16);
        policy.Observe(At(1) with { Limit = 16 });
        policy.Observe(At(60) with { Limit = 16, Held = 16, Queued = 5 }).Limit.ShouldBe(16);
        policy.Observe(At(61) with { Limit = 16, Held = 16, Queued = 5, Ended = 122, Admitted = 122, AdmittedAfterWait = 122 });
        policy.PerSecond.ShouldBe(122 / 60.0, 0.1);
    }

    [Fact]
    public void Limit_Interrupted_BeginsTheSampleAnew()
    {
        var policy = Policy(16);
        policy.Observe(At(1) with { Limit = 16 });
        policy.Observe(At(100) with { Limit = 16, IsInterrupted = true, Ended = 5, Admitted = 5, AdmittedAfterWait = 5 });
        policy.Observe(At(101) with { Limit = 16, Ended = 105, Admitted = 105, AdmittedAfterWait = 105, Queued = 1 });
        policy.PerSecond.ShouldBe(100, 0.1);
    }

    [Fact]
    public void Limit_SetByHand_IsWhereTheSearchGoesOnFrom()
    {
        var policy = Policy(16);
        policy.Observe(At(1) with { Limit = 16 });

        LimitDecision adopted = policy.Observe(At(2) with { Limit = 50 });

        (adopted.Limit, adopted.Reason, policy.Verified).ShouldBe((50, DecisionReason.ManualResize, 50));
        Feed(policy, 50, 20, from: 3).ShouldAllBe(static d => d.Limit >= 13 && d.Limit <= 100);
    }

    [Fact]
    public void Limit_SwitchedOffByHand_StaysOffUntilAnotherIsSet()
    {
        var policy = Policy(16);
        policy.Observe(At(1) with { Limit = 16 });
        policy.Observe(At(2) with { Limit = 0 }).Limit.ShouldBe(0);
        Feed(policy, 0, 20, from: 3).ShouldAllBe(static d => d.Limit == 0);
        policy.Observe(At(90) with { Limit = 8 }).Limit.ShouldBe(8);
        policy.Limit.ShouldBe(8);
    }

    /// <summary>Of passes it is not known how long they were inside: they end, but do not count as timed.</summary>
    [Fact]
    public void Sample_OfTransactions_SaysHowLongThoseThatAreTimedWereInside()
    {
        var controller = new NotingController();
        var policy = new TransactionLimitPolicy(controller, 16, 1, 1_024);
        policy.Observe(At(1) with { Limit = 16, Timed = 20, InsideSeconds = 100, Ended = 50 });
        LimitObservation now =
            At(2) with { Limit = 16, Held = 16, Queued = 5, Timed = 40, InsideSeconds = 104, Ended = 250, Admitted = 250, AdmittedAfterWait = 250 };

        policy.Observe(now);

        controller.Last.MeanServiceTime.ShouldBe(TimeSpan.FromMilliseconds(200));
    }

    [Theory]
    [InlineData(12, 20)]
    [InlineData(16, 16)]
    [InlineData(1, 1_000_000)]
    public void Limit_Always_StaysWithinItsBounds(int lowest, int highest)
    {
        var policy = new TransactionLimitPolicy(new HillClimbingController(TransactionLimitPolicy.DefaultOptions), 16, lowest, highest);
        var gate = new SimulatedGate(policy, CostCurve.Io200, new SimulationSettings { IsCpuKnown = false, MaxTarget = highest }, Clients);
        gate.Run(30);
        (gate.Lowest >= lowest, gate.Peak <= highest).ShouldBe((true, true));
    }

    private static TransactionLimitPolicy Policy(int start)
        => new(new HillClimbingController(TransactionLimitPolicy.DefaultOptions), start, 1, 1_024);

    private static LimitObservation At(double seconds) => new()
    {
        Now = s_second * seconds,
        Limit = 0,
        Held = 0,
        Queued = 0,
        Ended = 0,
        Failed = 0,
        InsideSeconds = 0,
        Timed = 0,
        Admitted = 0,
        AdmittedAfterWait = 0,
    };

    /// <summary>Looks once a second at a gate through which 1,000 transactions go in that time.</summary>
    private static List<LimitDecision> Feed(TransactionLimitPolicy policy, int limit, int looks, double waited = 1, double failed = 0, double turnedAway = 0,
        int from = 1)
    {
        List<LimitDecision> decisions = [];
        for (int i = from; i < from + looks; i++)
        {
            long ended = 1_000L * i;
            decisions.Add(policy.Observe(At(i) with
            {
                Limit = limit,
                Held = limit,
                Queued = 10,
                Ended = ended,
                Failed = (long)(failed * ended),
                Timed = ended,
                InsideSeconds = ended * 0.01,
                Admitted = ended,
                AdmittedAfterWait = (long)(waited * ended),
                TurnedAway = (long)(turnedAway * ended),
            }));
            limit = decisions[^1].Limit;
        }

        return decisions;
    }

    private static CostCurve Curve(string name) => CostCurve.BuiltIn.Single(curve => curve.Name == name);

    private static SimulatedGate Gate(CostCurve curve, int start, int seed, params WorkloadChange[] changes) =>
        new(Policy(start), curve, new SimulationSettings { Seed = seed, IsCpuKnown = false, Changes = changes }, Clients);

    private static double[] Shares(Func<int, double> run) => [.. Enumerable.Range(1, Seeds).Select(run).Order()];

    private sealed class NotingController : IPoolController
    {
        public List<(int Limit, DecisionReason Reason)> Begun { get; } = [];

        public int Samples { get; private set; }

        public PoolSample Last { get; private set; }

        public SizeDecision Update(in PoolSample sample)
        {
            Samples++;
            Last = sample;
            return new SizeDecision(sample.Target, sample.Elapsed, DecisionReason.Hold, new ControllerTrace());
        }

        public void Reinitialize(int target, DecisionReason reason) => Begun.Add((target, reason));
    }
}
