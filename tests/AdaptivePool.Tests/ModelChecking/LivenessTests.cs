using AdaptivePool.Dispatch;
using AdaptivePool.Tests.ModelChecking.Models;
using Xunit.Abstractions;

namespace AdaptivePool.Tests.ModelChecking;

/// <summary>Every queued item ends within a bounded number of turns of each worker, whatever the others do for ever.</summary>
public sealed class LivenessTests(ITestOutputHelper output) : IDisposable
{
    private static readonly WorkWay[] s_routed = [WorkWay.Routed, WorkWay.OtherRoute];
    private static readonly WorkWay[] s_all = [.. Enum.GetValues<WorkWay>().Except(s_routed)];
    private readonly Checker _checker = new();

    public static TheoryData<WorkWay> Ways => [.. s_all];

    public void Dispose() => _checker.Dispose();

    /// <summary>One worker: what it does next is its own choice alone.</summary>
    [Theory]
    [MemberData(nameof(Ways))]
    public void OneWorker_EndlessWorkOfOneKind_StarvesNone(WorkWay awaited)
    {
        foreach (WorkWay producer in s_all)
        {
            RequireEnd(1, 1, [producer], awaited);
        }
    }

    [Theory]
    [MemberData(nameof(Ways))]
    public void TwoWorkers_EndlessWorkOfOneKind_StarvesNone(WorkWay awaited)
    {
        foreach (WorkWay producer in s_all)
        {
            RequireEnd(2, 2, [producer, producer, producer], awaited);
        }
    }

    [Theory]
    [MemberData(nameof(Ways))]
    public void EndlessWorkOfAllKindsAtOnce_StarvesNone(WorkWay awaited)
    {
        RequireEnd(1, 1, s_all, awaited);
        RequireEnd(2, 2, s_all, awaited);
    }

    /// <summary>One slot of work in flight for two workers: whoever has none gives its own work to the other.</summary>
    [Theory]
    [MemberData(nameof(Ways))]
    public void OneSlotInFlight_EndlessWorkOfAllKindsAtOnce_StarvesNone(WorkWay awaited) => RequireEnd(2, 1, s_all, awaited);

    /// <summary>Work of the own group and of others, which have lanes of their own beside all other root work of their class.</summary>
    [Theory]
    [InlineData(WorkWay.Routed)]
    [InlineData(WorkWay.OtherRoute)]
    [InlineData(WorkWay.Root)]
    public void RoutedWork_EndlessWorkOfOneKind_StarvesNone(WorkWay awaited)
    {
        foreach (WorkWay producer in s_all.Concat(s_routed))
        {
            RequireEnd(1, 1, [producer], awaited);
        }

        RequireEnd(1, 1, s_routed, awaited);
        RequireEnd(2, 2, [WorkWay.Routed, WorkWay.Routed, WorkWay.Root], awaited);
    }

    /// <summary>The oldest item of a deque is left alone until it has waited for its time, however many turns that takes; here hardly any passes.</summary>
    [Fact]
    public void OldestOfADeque_HardlyAnyTimePasses_ComesAfterTheNewer() =>
        Explore(static () => EndlessPrograms.OldestInNoTime(turns: 3 * TurnRule.OldestEvery)).Failure.ShouldBeNull();

    /// <summary>
    /// A check of the method: a worker that looks at the other queue only when its own is empty starves it; with one turn in sixteen it does not.
    /// </summary>
    [Fact]
    public void OwnQueueAlwaysFirst_IsFound()
    {
        Explore(static () => BrokenAlgorithms.Starvation(isRight: true)).Failure.ShouldBeNull();
        Explore(static () => BrokenAlgorithms.Starvation(isRight: false)).Failure.ShouldNotBeNull().Message.ShouldContain("has not run after");
    }

    /// <summary>The same for a worker that is passed over: others that go on for ever make way for it.</summary>
    [Fact]
    public void WorkerThatIsPassedOver_ComesToItsTurn()
    {
        Exploration found = Explore(static () => BrokenAlgorithms.PassedOver());
        found.Failure.ShouldBeNull();
        found.IsComplete.ShouldBeTrue();
    }

    private Exploration Explore(Func<ModelProgram> create) => _checker.Exhaust(create, new Bounds(Preemptions: 0, Ages: 0, IsCoarse: true));

    private void RequireEnd(int workers, int inFlightLimit, WorkWay[] producers, WorkWay awaited)
    {
        ModelProgram Create() => EndlessPrograms.Create(workers, inFlightLimit, producers, awaited);
        Failure? failure = Explore(Create).Failure;
        if (workers > 1)
        {
            failure ??= _checker.Explore(Create, new RandomStrategy(seed: 13, runs: 2, deviateOneIn: 40, isSequential: true)).Failure;
        }

        output.WriteLine($"{workers} workers, endless {string.Join(", ", producers)}; awaited {awaited}: {failure?.Message ?? "ends"}");
        failure.ShouldBeNull();
    }
}
