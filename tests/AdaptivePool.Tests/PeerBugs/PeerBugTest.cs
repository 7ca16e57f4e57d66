using AdaptivePool.Tests.ModelChecking;
using AdaptivePool.Tests.ModelChecking.Models;

namespace AdaptivePool.Tests.PeerBugs;

/// <summary>Base of tests that replay a bug of another scheduler under the model checker: the mistake, cut down to its core, must be found, and what this pool
/// does in its place must pass.</summary>
public abstract class PeerBugTest : PoolTest
{
    private static readonly Bounds s_shallow = new(Preemptions: 2, Ages: 1, IsCoarse: true);

    /// <summary>The broken form fails under some schedule, the right one under none.</summary>
    private protected static void RequireFoundAndCured(Func<bool, ModelProgram> create)
    {
        using var checker = new Checker();
        checker.Exhaust(() => create(false)).Failure.ShouldNotBeNull("the checker must find the bug");
        Exploration right = checker.Exhaust(() => create(true));
        right.Failure.ShouldBeNull();
        right.IsComplete.ShouldBeTrue();
    }

    /// <summary>A program over types of the pool passes.</summary>
    private protected static void RequireRight(Func<ModelProgram> create, Bounds? bounds = null)
    {
        using var checker = new Checker();
        checker.Exhaust(create, bounds ?? s_shallow).Failure.ShouldBeNull();
    }

    /// <summary>The same for a program of the suite, as far as its own bounds go.</summary>
    private protected static void RequireRight(string program)
    {
        NamedProgram named = Suite.Get(program);
        RequireRight(named.Create, named.Bounds);
    }

    /// <summary>The same mistake made in a type of the pool, by a switch of the shim, is found.</summary>
    private protected static void RequireFoundInOurs(string program, string member, OperationKind kind, Weakening weakening)
    {
        using var checker = new Checker();
        NamedProgram named = Suite.Get(program);
        Site[] sites = [.. checker.Explore(named.Create, new RandomStrategy(seed: 1, runs: 60)).Sites.Where(s => s.Member == member && s.Kind == kind)];
        sites.ShouldNotBeEmpty();
        sites.ShouldAllBe(site => Fails(checker, named, new Mutation(site, weakening)));
        checker.Exhaust(named.Create, s_shallow).Failure.ShouldBeNull();
    }

    private static bool Fails(Checker checker, NamedProgram program, Mutation mutation)
        => checker.Exhaust(program.Create, new Bounds(Preemptions: 3, Ages: 2, IsCoarse: true), mutation).Failure is not null;
}
