using AdaptivePool.Admission;
using AdaptivePool.Control;
using AdaptivePool.Simulation.Fleet;

namespace AdaptivePool.Tests.Admission;

/// <summary>The law by which gates share a database, against the criteria that were written down before it.</summary>
public sealed class FleetLimitPolicyTests
{
    private const double Change = 25;
    private const double End = 36;
    private static readonly FleetScenario s_eight = new() { Instances = 8, Seconds = End, Clients = 32 };

    public static TheoryData<string, FleetChange> Changes => new()
    {
        { "joins", new FleetChange(Change, 7, 32, FleetChangeKind.Joins) },
        { "joins with a clock that is late", new FleetChange(Change, 0, 32, FleetChangeKind.Joins) },
        { "leaves", new FleetChange(Change, 3, 0, FleetChangeKind.Leaves) },
        { "leaves, the eldest", new FleetChange(Change, 0, 0, FleetChangeKind.Leaves) },
        { "dies unseen, the eldest", new FleetChange(Change, 0, 0, FleetChangeKind.Dies) },
        { "has no clients any more", new FleetChange(Change, 2, 0) },
    };

    [Theory]
    [InlineData(0.1, 0)]
    [InlineData(1, 0)]
    [InlineData(1, 0.25)]
    public void Eight_Warm_ReachTheBestLimitFairly(double noise, double crowding)
    {
        FleetScenario scenario = s_eight with { Server = new FleetServer(Noise: noise, Crowding: crowding) };
        FleetTrace trace = Run(scenario, 1);
        trace.Rate(20, End).ShouldBeGreaterThan(FleetCriteria.ShareOfBest * Best(scenario, 1));
        trace.Spread(20, End).ShouldBeLessThan(FleetCriteria.Spread);
    }

    /// <summary>Each step up has sessions opened, which slows everybody down meanwhile: a better limit is not given up for that. A trial that opens sessions in
    /// the steady part may cost a window its throughput.</summary>
    [Theory]
    [InlineData(1, 0.05)]
    [InlineData(4, 0.05)]
    [InlineData(8, 0.02)]
    [InlineData(8, 0.05)]
    public void SessionsTakeLongToOpen_TheBestLimitIsReached(int instances, double seconds)
    {
        List<double> shares = [];
        for (int seed = 1; seed <= 5; seed++)
        {
            FleetScenario scenario = new()
            {
                Instances = instances,
                Clients = 256 / instances,
                Seconds = End,
                Server = new FleetServer(Noise: 0.2, Crowding: 0.1) { Slowness = Wander(seed), SessionSeconds = seconds, SessionLoad = 1 },
            };
            FleetTrace trace = Run(scenario, seed);
            FleetTrace byHand = FleetSimulation.Run(scenario, _ => new FixedLaw(64 / instances), seed);
            for (double from = 20; from + 6 <= End; from += 2)
            {
                shares.Add(trace.Rate(from, from + 6) / byHand.Rate(from, from + 6));
            }

            trace.Spread(20, End).ShouldBeLessThan(FleetCriteria.Spread);
        }

        shares.Min().ShouldBeGreaterThan(0.85);
        shares.Count(static s => s < FleetCriteria.ShareOfBest).ShouldBeLessThanOrEqualTo(shares.Count / 10);
    }

    [Theory]
    [MemberData(nameof(Changes))]
    public void Eight_OneChanges_SettleInTime(string what, FleetChange change)
    {
        FleetScenario scenario = s_eight with { Changes = [change] };
        Run(scenario, 2).Settled(Change, End, Best(scenario, 2)).ShouldBeLessThan(FleetCriteria.SettleSeconds, what);
    }

    [Fact]
    public void Eight_SixBecomeIdle_TheOthersGetWhatTheyLeave()
    {
        FleetScenario scenario = s_eight with { Clients = 64, Changes = [.. Enumerable.Range(0, 6).Select(static i => new FleetChange(15, i, 0))] };
        FleetTrace trace = Run(scenario, 1);
        trace.Rate(25, End).ShouldBeGreaterThan(FleetCriteria.ShareOfBest * Best(scenario, 1));
        trace.Spread(25, End).ShouldBeLessThan(FleetCriteria.Spread);
    }

    [Fact]
    public void Eight_NobodySeesTheOthers_LimitsStay()
    {
        FleetTrace trace = Run(s_eight with { Changes = [new FleetChange(20, 0, 32, FleetChangeKind.Blinds)] }, 1);
        trace.Limits.Skip(205).Distinct().ShouldHaveSingleItem();
    }

    [Fact]
    public void Observe_SawNobodyForALook_TheSearchGoesOn()
    {
        // It began anew, and tried a quarter of the limit first: for seconds after each restart of the database.
        NotingController search = new();
        FleetLimitPolicy policy = new(FleetReport.CreateId(1, 0), search, start: 8, lowest: 1, highest: 100);
        LimitObservation at = new() { Now = TimeSpan.Zero, Limit = 8, Held = 8, Queued = 8, Admitted = 0, AdmittedAfterWait = 0 };
        for (int i = 0; i < 40; i++)
        {
            Look(isBlind: i == 10);
        }

        search.Restarts.ShouldBe(1);
        search.Samples.ShouldBeGreaterThan(0);
        policy.Limit.ShouldBe(8);

        void Look(bool isBlind)
        {
            at = Later(at);
            policy.Report(at);
            _ = isBlind ? policy.Wait(at, "the database system is starting up") : policy.Observe(at, []);
        }
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    public void Observe_MissesALookBeforeTheOtherHasSeenItsLastTotal_TheSearchGoesOn(int behind)
    {
        NotingController search = new();
        FleetLimitPolicy policy = new(FleetReport.CreateId(1, 0), search, start: 8, lowest: 1, highest: 100);
        LimitObservation at = new() { Now = TimeSpan.Zero, Limit = 8, Held = 8, Queued = 8, Admitted = 0, AdmittedAfterWait = 0 };
        FleetReport other = new() { Id = FleetReport.CreateId(2, 0), Limit = 8, Wanted = 20, Binds = true, IsProven = true };
        FleetReport own = default;
        for (int i = 0; i < 40; i++)
        {
            at = Later(at);
            FleetReport.TryParse(policy.Report(at), out own).ShouldBeTrue();
            int epoch = i is 20 or 21 ? own.Epoch - behind : own.Epoch;
            other = other with { Number = i, Total = 16, Verified = 16, Epoch = epoch };
            _ = i == 20 ? policy.Wait(at, "the session was ended") : policy.Observe(at, [other.ToString()]);
        }

        search.Restarts.ShouldBe(1);
        search.Samples.ShouldBeGreaterThan(0);
        policy.Fleet.Total.ShouldBe(16);
    }

    /// <summary>Between two looks hardly a transaction of a second is let in. Callers that do not wait were not seen then, so that no gate searched.</summary>
    [Theory]
    [InlineData(0, 0, false)]
    [InlineData(1, 0, true)]
    [InlineData(0, 1, true)]
    public void Report_NobodyWasLetIn_BindsWhereOneWaitsOrWasTurnedAway(int queued, int turnedAway, bool expected)
    {
        FleetLimitPolicy policy = new(FleetReport.CreateId(1, 0), new NotingController(), start: 2, lowest: 1, highest: 100);
        LimitObservation at = new() { Now = TimeSpan.Zero, Limit = 2, Held = 2, Queued = 0, Admitted = 2, AdmittedAfterWait = 2 };
        policy.Report(at);

        string line = policy.Report(at with { Now = TimeSpan.FromSeconds(0.05), Queued = queued, TurnedAway = turnedAway });

        FleetReport.TryParse(line, out FleetReport report).ShouldBeTrue();
        report.Binds.ShouldBe(expected);
    }

    [Fact]
    public void Observe_AllHaveTheMostThatTheyMayHave_TheTotalIsThat()
    {
        // Of ten with ten each all but one leave: nothing was measured any more, because what it had was far below the total.
        NotingController search = new();
        FleetLimitPolicy policy = new(FleetReport.CreateId(1, 0), search, start: 10, lowest: 1, highest: 10);
        FleetReport gone = new()
        {
            Id = FleetReport.CreateId(2, 0), Total = 80, Verified = 80, Epoch = 5, Limit = 10, Wanted = 10, Binds = true, IsProven = true,
        };
        LimitObservation at = new() { Now = TimeSpan.Zero, Limit = 10, Held = 10, Queued = 30, Admitted = 0, AdmittedAfterWait = 0 };
        for (int i = 0; i < 100; i++)
        {
            at = Later(at);
            policy.Report(at);
            policy.Observe(at, i < 20 ? [(gone with { Number = i }).ToString()] : []);
        }

        (policy.Fleet.Instances, policy.Fleet.Total, policy.Limit).ShouldBe((1, 10, 10));
        search.Samples.ShouldBeGreaterThan(0);
    }

    [Fact]
    public void Observe_TheEldestHasALowMaxLimit_ItIsNotThatOfTheOthers()
    {
        // The total of all was as many times its own highest limit as there were gates.
        NotingController search = new();
        FleetLimitPolicy policy = new(FleetReport.CreateId(1, 0), search, start: 2, lowest: 1, highest: 2);
        FleetReport other = new()
        {
            Id = FleetReport.CreateId(2, 0), Total = 40, Verified = 40, Epoch = 5, Limit = 38, Wanted = 100, Binds = true, IsProven = true,
        };
        LimitObservation at = new() { Now = TimeSpan.Zero, Limit = 2, Held = 2, Queued = 30, Admitted = 0, AdmittedAfterWait = 0 };
        for (int i = 0; i < 40; i++)
        {
            at = Later(at);
            FleetReport.TryParse(policy.Report(at), out FleetReport own).ShouldBeTrue();
            own.Wanted.ShouldBe(2, "what it cannot have is for the others");
            policy.Observe(at, [(other with { Number = i, PerSecond = 100 }).ToString()]);
        }

        (policy.Fleet.IsSearching, policy.Fleet.Total, policy.Limit).ShouldBe((true, 40, 2));
        search.Highest.ShouldBe(102);
    }

    [Theory]
    [InlineData(true, 48)]
    [InlineData(false, 16)]
    public void Observe_TheEldestIsGone_TheNextOneTakesNoMoreThanAQuarterOfWhatItHasFound(bool isProven, int least)
    {
        // Its search knew nothing, and tried a quarter of the limit first.
        NotingController search = new();
        FleetLimitPolicy policy = new(FleetReport.CreateId(2, 0), search, start: 64, lowest: 1, highest: 100);
        FleetReport gone = new()
        {
            Id = FleetReport.CreateId(1, 0), Total = 64, Verified = 64, Epoch = 5, Limit = 32, Wanted = 100, Binds = true, IsProven = isProven,
        };
        LimitObservation at = new() { Now = TimeSpan.Zero, Limit = 64, Held = 64, Queued = 30, Admitted = 0, AdmittedAfterWait = 0 };
        for (int i = 0; i < 60; i++)
        {
            at = Later(at);
            policy.Report(at);
            policy.Observe(at, i < 20 ? [(gone with { Number = i }).ToString()] : []);
        }

        (policy.Fleet.IsSearching, policy.Fleet.Total).ShouldBe((true, 64));
        search.Lowest.ShouldBe(least);
    }

    /// <summary>A machine that is a twentieth faster or slower for a third of a second or so.</summary>
    private static Func<double, double> Wander(int seed)
    {
        const double Step = 0.1, Kept = 0.7, Deviation = 0.05;
        Random random = new(seed);
        double[] factors = new double[(int)(End / Step) + 1];
        double state = 0;
        for (int i = 0; i < factors.Length; i++)
        {
            double normal = Math.Sqrt(-2 * Math.Log(1 - random.NextDouble())) * Math.Cos(2 * Math.PI * random.NextDouble());
            state = (Kept * state) + (Math.Sqrt(1 - (Kept * Kept)) * Deviation * normal);
            factors[i] = Math.Exp(state);
        }

        return t => factors[Math.Min(factors.Length - 1, (int)(t / Step))];
    }

    private static FleetTrace Run(FleetScenario scenario, int seed) => FleetSimulation.Run(scenario, static i => new SeenLaw(i, 4), seed);

    private static double Best(FleetScenario scenario, int seed)
        => FleetSimulation.Run(scenario with { Seconds = 8, Changes = [] }, static _ => new FixedLaw(8), seed).Rate(2, 8);

    /// <summary>A fifth of a second later, in which fifty have waited and ended.</summary>
    private static LimitObservation Later(LimitObservation at) => at with
    {
        Now = at.Now + TimeSpan.FromSeconds(0.2), Ended = at.Ended + 50, Admitted = at.Admitted + 50, AdmittedAfterWait = at.AdmittedAfterWait + 50,
    };

    private sealed class NotingController : IPoolController
    {
        public int Restarts { get; private set; }

        public int Samples { get; private set; }

        public int Highest { get; private set; }

        public int Lowest { get; private set; }

        public SizeDecision Update(in PoolSample sample)
        {
            Samples++;
            (Lowest, Highest) = (sample.MinTarget, sample.MaxTarget);
            return new(sample.Target, TimeSpan.FromSeconds(0.2), DecisionReason.Hold, new ControllerTrace { Reason = DecisionReason.Hold });
        }

        public void Reinitialize(int target, DecisionReason reason) => Restarts++;
    }
}
