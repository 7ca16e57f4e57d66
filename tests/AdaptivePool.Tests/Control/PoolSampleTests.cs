using AdaptivePool.Control;
using AdaptivePool.Simulation;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.Control;

public sealed class PoolSampleTests
{
    private static readonly PoolSample s_good = new()
    {
        Elapsed = TimeSpan.FromMilliseconds(100),
        Completions = 100,
        Target = 8,
        MinTarget = 1,
        MaxTarget = 64,
        Queued = 3,
        Utilisation = 0.5,
        WorkerCpuSeconds = 0.1,
    };

    /// <summary>Impossible samples, by name.</summary>
    public static IReadOnlyDictionary<string, PoolSample> Impossible { get; } = new Dictionary<string, PoolSample>(StringComparer.Ordinal)
    {
        ["no time"] = s_good with { Elapsed = TimeSpan.Zero },
        ["clock going back"] = s_good with { Elapsed = TimeSpan.FromMilliseconds(-5) },
        ["negative completions"] = s_good with { Completions = -1 },
        ["completions without threads"] = s_good with { Target = 0 },
        ["negative threads"] = s_good with { Target = -4 },
        ["negative arrivals"] = s_good with { Arrivals = -1 },
        ["negative queue"] = s_good with { Queued = -1 },
        ["no lower bound"] = s_good with { MinTarget = 0 },
        ["bounds exchanged"] = s_good with { MinTarget = 65 },
        ["negative active"] = s_good with { Active = -1 },
        ["negative running"] = s_good with { Running = -1 },
        ["negative blocked"] = s_good with { Blocked = -1 },
        ["negative queue wait"] = s_good with { MeanQueueWait = TimeSpan.FromTicks(-1) },
        ["negative longest wait"] = s_good with { MaxQueueWait = TimeSpan.FromTicks(-1) },
        ["negative service time"] = s_good with { MeanServiceTime = TimeSpan.FromTicks(-1) },
        ["negative age"] = s_good with { OldestItemAge = TimeSpan.FromTicks(-1) },
        ["negative connections"] = s_good with { Connections = -1 },
        ["cores not a number"] = s_good with { Cores = double.NaN },
        ["negative cores"] = s_good with { Cores = -1 },
        ["negative utilisation"] = s_good with { Utilisation = -0.1 },
        ["infinite utilisation"] = s_good with { Utilisation = double.PositiveInfinity },
        ["negative CPU time"] = s_good with { WorkerCpuSeconds = -1 },
        ["infinite CPU time"] = s_good with { WorkerCpuSeconds = double.NegativeInfinity },
    };

    public static TheoryData<string> Names => [.. Impossible.Keys];

    [Fact]
    public void IsPossible_PossibleSample_IsTrue()
    {
        s_good.IsPossible.ShouldBeTrue();
        (s_good with { Utilisation = double.NaN, WorkerCpuSeconds = double.NaN }).IsPossible.ShouldBeTrue("not known is not wrong");
        (s_good with { Completions = 0 }).IsPossible.ShouldBeTrue();
    }

    [Theory]
    [MemberData(nameof(Names))]
    public void IsPossible_ImpossibleSample_IsFalse(string name)
        => Impossible[name].IsPossible.ShouldBeFalse();

    [Theory]
    [MemberData(nameof(Names))]
    public void Update_ImpossibleSample_HoldsAndLearnsNothing(string name)
    {
        // Two controllers, the same good samples; one of them is also given the impossible sample after every good one.
        var clean = new SampleFeed(new HillClimbingController(), 8, n => n * 1000.0);
        var dirty = new SampleFeed(new HillClimbingController(), 8, n => n * 1000.0);
        for (int i = 0; i < 60; i++)
        {
            SizeDecision expected = clean.Step();
            SizeDecision actual = dirty.Step();
            actual.Target.ShouldBe(expected.Target);
            actual.NextInterval.ShouldBe(expected.NextInterval);
            actual.Reason.ShouldBe(expected.Reason);

            SizeDecision refused = dirty.Controller.Update(Impossible[name]);
            refused.Reason.ShouldBe(DecisionReason.InvalidSample);
            refused.Target.ShouldBe(dirty.Target);
            refused.NextInterval.ShouldBeGreaterThan(TimeSpan.Zero);
            refused.Trace.Reason.ShouldBe(DecisionReason.InvalidSample);
        }

        clean.Target.ShouldBeGreaterThan(8, "the run is long enough to decide something");
    }

    [Theory]
    [MemberData(nameof(Names))]
    public void Update_ImpossibleFirstSample_HoldsAtOneThreadOrMore(string name)
    {
        SizeDecision refused = new HillClimbingController().Update(Impossible[name]);
        refused.Reason.ShouldBe(DecisionReason.InvalidSample);
        refused.Target.ShouldBeGreaterThanOrEqualTo(1);
    }
}
