using AdaptivePool.Control;
using AdaptivePool.Diagnostics;
using AdaptivePool.Simulation;
using AdaptivePool.Simulation.Curves;
using AdaptivePool.Simulation.Replay;

namespace AdaptivePool.Tests.Diagnostics;

/// <summary>What a controller decided is decided again from its log, and what was changed in the log is found.</summary>
public sealed class DecisionReplayTests
{
    public static TheoryData<string> EachProfile => ["default", "seed", "eager"];

    [Theory]
    [MemberData(nameof(EachProfile))]
    public void Run_LogOfASimulation_EveryDecisionIsReproduced(string profile)
    {
        TextSink sink = Simulate(Options(profile), out int steps);

        using DecisionLogReader log = sink.Read();
        IReadOnlyList<DecisionReplayResult> results = DecisionReplay.Run(log);

        results.Select(static r => r.ClassName).ShouldBe(["io", "db"]);
        results.Sum(static r => r.Steps).ShouldBe(steps);
        results.ShouldAllBe(static r => r.IsIdentical && r.Difference == null && r.Steps > 10);
        log.Header.Options.ShouldBe(Options(profile));
        log.Note.ShouldBeNull();
    }

    // As after a resize of the pool: how well another size must be proven depends on it.
    [Fact]
    public void Run_VerifiedSizeWasDoubted_EveryDecisionIsReproduced()
    {
        TextSink sink = new(DecisionLogHeader.ForHillClimbing());
        SimulatedPool pool = new(CostCurve.Postgres, 72, 0.1, 0.6, seed: 2);
        var controller = new LoggingController(new HillClimbingController(), "db", sink.Write, () => TimeSpan.FromSeconds(pool.Now));
        ISizeVerifier verifier = controller;
        SimulatedRun run = new(controller, pool);
        for (int i = 0; i < 2_000 && verifier.VerifiedSize != pool.Target; i++)
        {
            run.For(0.5);
        }

        int size = verifier.VerifiedSize;
        size.ShouldBe(pool.Target);
        verifier.Doubt();
        controller.Reinitialize(size, DecisionReason.RampVerified);
        run.For(120);

        using DecisionLogReader log = sink.Read();
        DecisionReplay.Run(log).ShouldHaveSingleItem().IsIdentical.ShouldBeTrue();
    }

    [Fact]
    public void Run_DecisionTampered_FirstDifferenceIsFound()
    {
        TextSink sink = Simulate(Options("default"), out _);
        int line = sink.Lines.FindLastIndex(static l => l.Contains("\"step\"", StringComparison.OrdinalIgnoreCase)
            && l.Contains("\"className\":\"io\"", StringComparison.Ordinal)) - 6;
        DecisionLogEntry entry = DecisionLogLine.ReadEntry(sink.Lines[line]);
        sink.Lines[line] = (entry with { Target = entry.Target + 1 }).ToJson();

        using DecisionLogReader log = sink.Read();
        DecisionReplayResult result = DecisionReplay.Run(log).Single(r => r.ClassName == entry.ClassName);

        result.IsIdentical.ShouldBeFalse();
        result.Identical.ShouldBe(result.Steps - 1);
        result.Difference!.Line.ShouldBe(line + 1);
        result.Difference.Got.Target.ShouldBe(entry.Target);
        result.Difference.ToString().ShouldContain($"line {line + 1}");
    }

    [Fact]
    public void Run_OneTermOfTheTraceTampered_IsFound()
    {
        TextSink sink = Simulate(Options("default"), out _);
        int line = sink.Lines.Count - 1;
        DecisionLogEntry entry = DecisionLogLine.ReadEntry(sink.Lines[line]);
        sink.Lines[line] =
            (entry with { Trace = entry.Trace! with { ThroughputPerSecond = Math.BitIncrement(entry.Trace.ThroughputPerSecond) } }).ToJson();

        using DecisionLogReader log = sink.Read();
        DecisionReplay.Run(log).ShouldContain(static r => !r.IsIdentical);
    }

    [Fact]
    public void Run_OtherOptionsInTheHeader_Differs()
    {
        TextSink sink = Simulate(Options("default"), out _);
        sink.Lines[0] = DecisionLogHeader.ForHillClimbing(Options("eager")).ToJson();

        using DecisionLogReader log = sink.Read();
        DecisionReplay.Run(log).ShouldContain(static r => !r.IsIdentical);
    }

    [Fact]
    public void Run_LinesWereDropped_SaysWhere()
    {
        TextSink sink = Simulate(Options("default"), out _);
        sink.Lines.Insert(9, new DecisionLogEntry { Kind = DecisionLogKind.Dropped, At = TimeSpan.Zero, ClassName = "", Count = 3 }.ToJson());

        using DecisionLogReader log = sink.Read();
        Should.Throw<DecisionLogException>(()
            => DecisionReplay.Run(log)).Message.ShouldBe("line 10: 3 lines are missing from here on; what follows cannot be replayed");
    }

    [Fact]
    public void Run_ControllersOfAFactory_NeedTheFactory()
    {
        TextSink sink = new(DecisionLogHeader.ForCustom());
        var logged = new LoggingController(new FixedController(7), "a", sink.Write, static () => TimeSpan.Zero);
        logged.Update(Sample(7));
        logged.Reinitialize(3, DecisionReason.ManualResize);

        using (DecisionLogReader log = sink.Read())
        {
            Should.Throw<DecisionLogException>(() => DecisionReplay.Run(log)).Line.ShouldBe(1);
        }

        using DecisionLogReader again = sink.Read();
        DecisionReplay.Run(again, static () => new FixedController(7)).ShouldHaveSingleItem().IsIdentical.ShouldBeTrue();
    }

    [Fact]
    public void Run_StepWithoutStart_NamesTheLine()
    {
        TextSink sink = Simulate(Options("default"), out _);
        sink.Lines.RemoveAt(1);

        using DecisionLogReader log = sink.Read();
        DecisionLogException problem = Should.Throw<DecisionLogException>(() => DecisionReplay.Run(log));
        problem.Line.ShouldBe(3);
        problem.Message.ShouldContain("'io' has no start line");
    }

    private static HillClimbingOptions Options(string profile) => profile switch
    {
        "seed" => HillClimbingOptions.SeedWave,
        "eager" => new() { MaxUpRatio = 1.1, ModelGainShare = 0.1 + 0.2, MinSampleInterval = TimeSpan.FromTicks(300_001) },
        _ => new(),
    };

    // Two classes in one log, a reinitialisation, and a sample that cannot be used.
    private static TextSink Simulate(HillClimbingOptions options, out int steps)
    {
        TextSink sink = new(DecisionLogHeader.ForHillClimbing(options));
        SimulatedPool ioPool = new(CostCurve.Io200, 16, 0.1, 0.6, seed: 1);
        SimulatedPool dbPool = new(CostCurve.Postgres, 72, 0.1, 0.6, seed: 2);
        var io = new LoggingController(new HillClimbingController(options), "io", sink.Write, () => TimeSpan.FromSeconds(ioPool.Now));
        var db = new LoggingController(new HillClimbingController(options), "db", sink.Write, () => TimeSpan.FromSeconds(dbPool.Now));
        SimulatedRun first = new(io, ioPool);
        SimulatedRun second = new(db, dbPool);
        first.For(15);
        second.For(30);
        io.Reinitialize(40, DecisionReason.ManualResize);
        db.Update(Sample(9) with { WorkerCpuSeconds = double.PositiveInfinity });
        first.For(15);
        steps = first.Updates + second.Updates + 1;
        return sink;
    }

    private static PoolSample Sample(int target)
        => new() { Elapsed = TimeSpan.FromSeconds(0.1), Completions = 10, Target = target, MinTarget = 1, MaxTarget = 99, Queued = 5 };
}
