using AdaptivePool.Dispatch;
using Xunit.Abstractions;

namespace AdaptivePool.Tests.ModelChecking;

/// <summary>The checker is worth something only if it finds what is known to be broken and lets pass what is known to be right.</summary>
public sealed class CheckerTests(ITestOutputHelper output) : IDisposable
{
    private static readonly Dictionary<string, Func<bool, ModelProgram>> s_algorithms = new(StringComparer.Ordinal)
    {
        ["dekker"] = BrokenAlgorithms.Dekker,
        ["lost wake"] = BrokenAlgorithms.LostWake,
        ["stack"] = BrokenAlgorithms.StackWithoutVersion,
        ["lost notification"] = BrokenAlgorithms.LostNotification,
    };

    private readonly Checker _checker = new();

    public static TheoryData<string> Algorithms => [.. s_algorithms.Keys];

    public void Dispose() => _checker.Dispose();

    [Theory]
    [MemberData(nameof(Algorithms))]
    public void Exhaust_BrokenAlgorithm_Fails(string name)
    {
        Exploration found = _checker.Exhaust(() => s_algorithms[name](false));
        output.WriteLine($"{name}: {found}");
        found.Failure.ShouldNotBeNull();
    }

    [Theory]
    [MemberData(nameof(Algorithms))]
    public void Exhaust_RightAlgorithm_Passes(string name)
    {
        Exploration found = _checker.Exhaust(() => s_algorithms[name](true));
        output.WriteLine($"{name}: {found}");
        found.Failure.ShouldBeNull();
        found.IsComplete.ShouldBeTrue();
    }

    /// <summary>Without an old write or a sleep that ends for no reason: it is the interrupt that ends the wait.</summary>
    [Fact]
    public void Interrupt_OfASleeper_FindsTheBrokenOnly()
    {
        var bounds = new Bounds(Preemptions: 2, Ages: 0);
        _checker.Exhaust(static () => BrokenAlgorithms.InterruptedSleep(isRight: false), bounds).Failure.ShouldNotBeNull();
        Exploration found = _checker.Exhaust(static () => BrokenAlgorithms.InterruptedSleep(isRight: true), bounds);
        found.Failure.ShouldBeNull();
        found.IsComplete.ShouldBeTrue();
    }

    [Theory]
    [MemberData(nameof(Algorithms))]
    public void Explore_AtRandom_FindsTheBrokenOnly(string name)
    {
        _checker.Explore(() => s_algorithms[name](false), new RandomStrategy(seed: 1, runs: 3_000)).Failure.ShouldNotBeNull();
        _checker.Explore(() => s_algorithms[name](true), new RandomStrategy(seed: 1, runs: 300)).Failure.ShouldBeNull();
    }

    [Theory]
    [MemberData(nameof(Algorithms))]
    public void Explore_ByPriorities_FindsTheBrokenOnly(string name)
    {
        _checker.Explore(() => s_algorithms[name](false), new PctStrategy(seed: 1, runs: 3_000, steps: 30)).Failure.ShouldNotBeNull();
        _checker.Explore(() => s_algorithms[name](true), new PctStrategy(seed: 1, runs: 300, steps: 30)).Failure.ShouldBeNull();
    }

    [Theory]
    [InlineData(false, true)]
    [InlineData(true, false)]
    public void StoreBuffering_Fails_OnlyWithoutFences(bool fences, bool fails) => Fails(() => Litmus.StoreBuffering(fences)).ShouldBe(fails);

    [Theory]
    [InlineData(true, true, false)]
    [InlineData(true, false, true)]
    [InlineData(false, true, true)]
    public void MessagePassing_Fails_OnlyWithoutReleaseOrAcquire(bool release, bool acquire, bool fails)
        => Fails(() => Litmus.MessagePassing(release, acquire)).ShouldBe(fails);

    [Theory]
    [InlineData(false, true)]
    [InlineData(true, false)]
    public void TwoWrites_Fail_OnlyWithoutFences(bool fences, bool fails) => Fails(() => Litmus.TwoWrites(fences)).ShouldBe(fails);

    [Theory]
    [InlineData(false, true)]
    [InlineData(true, false)]
    public void Counting_Fails_OnlyWithoutAtomicity(bool atomic, bool fails) => Fails(() => Litmus.Counting(atomic)).ShouldBe(fails);

    [Theory]
    [InlineData(false, true)]
    [InlineData(true, false)]
    public void LoadBuffering_Fails_OnlyForeseeingAndWithoutAcquire(bool acquire, bool fails)
    {
        ModelProgram Create() => Litmus.LoadBuffering(acquire);
        _checker.Exhaust(Create).Failure.ShouldBeNull("without foreseeing no load reads what comes after it");
        Exploration found = _checker.Exhaust(Create, prophecies: _checker.Learn(Create));
        output.WriteLine(found.ToString());
        (found.Failure is not null).ShouldBe(fails);
    }

    [Fact]
    public void Counting_Foreseeing_IsStillRight()
    {
        static ModelProgram Create() => Litmus.Counting(atomic: true);
        _checker.Exhaust(Create, prophecies: _checker.Learn(Create)).Failure.ShouldBeNull();
    }

    [Fact]
    public void Coherence_Holds() => Fails(Litmus.Coherence).ShouldBeFalse();

    [Fact]
    public void StoreBuffering_UnderSequentialConsistency_Holds() =>
        _checker.Exhaust(() => Litmus.StoreBuffering(fences: false), new Bounds(Preemptions: 9, Ages: 0)).Failure.ShouldBeNull();

    [Fact]
    public void Exhaust_Twice_ExploresTheSame()
    {
        static ModelProgram Create() => BrokenAlgorithms.LostNotification(isRight: true);
        _checker.Exhaust(Create).Schedules.ShouldBe(_checker.Exhaust(Create).Schedules);
    }

    [Fact]
    public void Replay_OfAPrintedSchedule_FailsAlike()
    {
        static ModelProgram Create() => BrokenAlgorithms.StackWithoutVersion(isRight: false);
        Failure found = _checker.Exhaust(Create).Failure.ShouldNotBeNull();
        Failure replayed = _checker.Replay(Create, found.Schedule).ShouldNotBeNull();
        replayed.Message.ShouldBe(found.Message);
        replayed.Trace.ShouldBe(found.Trace);
        _checker.Replay(Create, string.Empty).ShouldBeNull("the default schedule is right");
    }

    [Fact]
    public void Failure_IsShortened_ToWhatItNeeds()
    {
        // Both read the old value: one age each would do, or one preemption.
        Failure found = _checker.Explore(() => Litmus.Counting(atomic: false),
            new RandomStrategy(seed: 3, runs: 1_000, deviateOneIn: 2)).Failure.ShouldNotBeNull();
        Schedule.Parse(found.Schedule).Deviations.Count.ShouldBe(1);
    }

    [Fact]
    public void Endless_Loop_IsAFailure()
    {
        static ModelProgram Create()
        {
            Cell never = new();
            return new ModelProgram(
                [
                    () =>
                    {
                        while (ModelSync.VolatileRead(ref never.Value, string.Empty, 1) == 0)
                        {
                        }
                    },
                ],
                static () => { });
        }

        _checker.Exhaust(Create).Failure.ShouldNotBeNull().Message.ShouldContain("No end");
    }

    /// <summary>A sleeper that nobody lets end must not hold up the checker for good.</summary>
    [Fact]
    public void Sleeper_ThatIsNotDismissed_IsAFailure()
    {
        static ModelProgram Create()
        {
            var parking = new WordParking<ModelSync>();
            return new ModelProgram([parking.Park], static () => { }, static () => { });
        }

        _checker.Exhaust(Create, new Bounds(Preemptions: 0, Ages: 0)).Failure.ShouldNotBeNull().Message.ShouldContain("does not end with its run");
    }

    [Fact]
    public void AwaitRest_Thread_GoesOnAfterAllOthers()
    {
        static ModelProgram Create()
        {
            Cell cell = new();
            int seen = 0;
            return new ModelProgram(
                [
                    () =>
                    {
                        VirtualThread.AwaitRest();
                        seen = ModelSync.RelaxedRead(ref cell.Value, string.Empty, 1);
                    },
                    () => ModelSync.RelaxedWrite(ref cell.Value, 1, string.Empty, 2),
                ],
                () => ModelFailureException.Require(seen == 1, "it did not wait, or saw what had been before"));
        }

        _checker.Exhaust(Create).Failure.ShouldBeNull();
    }

    /// <summary>Comparing states leaves out runs, never failures or ends.</summary>
    [Theory]
    [MemberData(nameof(Algorithms))]
    public void Exhaust_WithAndWithoutMerging_ReachTheSame(string name)
    {
        Bounds bounds = new(Preemptions: 2, Ages: 1);
        foreach (bool isRight in new[] { false, true })
        {
            Exploration merged = _checker.Explore(() => s_algorithms[name](isRight), new DepthFirstStrategy(bounds));
            Exploration all = _checker.Explore(() => s_algorithms[name](isRight), new DepthFirstStrategy(bounds, merges: false));
            (merged.Failure is null).ShouldBe(all.Failure is null);
            merged.Schedules.ShouldBeLessThanOrEqualTo(all.Schedules);
            output.WriteLine($"{name}: {merged.Schedules:N0} of {all.Schedules:N0} schedules");
        }
    }

    /// <summary>The outcomes of a program are the same whether states are compared or not.</summary>
    [Fact]
    public void Exhaust_WithAndWithoutMerging_GiveTheSameOutcomes()
    {
        Outcomes(merges: true).ShouldBe(Outcomes(merges: false), ignoreOrder: true);
    }

    [Theory]
    [InlineData("12>")]
    [InlineData("x>1")]
    [InlineData("12")]
    public void Schedule_Unreadable_IsRefused(string text) => Should.Throw<FormatException>(() => Schedule.Parse(text));

    [Fact]
    public void Schedule_Printed_IsReadBack() => Schedule.Parse("3>1 12<2").ToString().ShouldBe("3>1 12<2");

    private HashSet<string> Outcomes(bool merges)
    {
        HashSet<string> outcomes = [];
        ModelProgram Create()
        {
            Cell x = new(), y = new(), z = new();
            int[] seen = new int[4];
            return new ModelProgram(
                [
                    () =>
                    {
                        ModelSync.Write(ref x.Value, 1, string.Empty, 1);
                        ModelSync.VolatileWrite(ref y.Value, 1, string.Empty, 2);
                        seen[0] = ModelSync.RelaxedRead(ref z.Value, string.Empty, 3);
                    },
                    () =>
                    {
                        seen[1] = ModelSync.Exchange(ref z.Value, 1, string.Empty, 4);
                        seen[2] = ModelSync.VolatileRead(ref y.Value, string.Empty, 5);
                        seen[3] = ModelSync.Read(ref x.Value, string.Empty, 6);
                    },
                    () => ModelSync.Increment(ref z.Value, string.Empty, 7),
                ],
                () => outcomes.Add($"{string.Join(' ', seen)} {x.Value} {y.Value} {z.Value}"));
        }

        _checker.Explore(Create, new DepthFirstStrategy(new Bounds(Preemptions: 4, Ages: 3), merges)).IsComplete.ShouldBeTrue();
        return outcomes;
    }

    private bool Fails(Func<ModelProgram> create)
    {
        Exploration found = _checker.Exhaust(create);
        output.WriteLine(found.ToString());
        return found.Failure is not null;
    }
}
