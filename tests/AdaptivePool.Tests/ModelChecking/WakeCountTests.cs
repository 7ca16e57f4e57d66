using AdaptivePool.Tests.ModelChecking.Models;

namespace AdaptivePool.Tests.ModelChecking;

/// <summary>A wake is useless when the worker finds nothing, under any schedule; else it is not.</summary>
public sealed class WakeCountTests
{
    [Theory]
    [InlineData(false, 0)]
    [InlineData(true, 1)]
    public void OneItem_WakesOnce_InVainIfAnotherWasSooner(bool isTaken, long useless)
    {
        using var checker = new Checker();
        Exploration found = checker.Exhaust(() => Create(isTaken, useless));
        found.Failure.ShouldBeNull();
        found.IsComplete.ShouldBeTrue();
    }

    [Fact]
    public void NoItem_AWorkerRetires_NobodyIsWoken()
    {
        using var checker = new Checker();
        Exploration found = checker.Exhaust(
            static () =>
            {
                var pool = new ModelPool(workers: 2, limit: 1, inFlightLimit: 1);
                return new ModelProgram(
                    [() => pool.Set.Retire(1)],
                    () => ModelFailureException.Require((pool.Set.Existing, pool.Set.Wakes) == (1, 0), $"{pool.Set.Wakes} wakes, {pool.Set.Existing} workers"),
                    pool.Dismiss)
                {
                    OnRest = static () => { },
                };
            },
            Bounds.Crowded);
        found.Failure.ShouldBeNull();
        found.IsComplete.ShouldBeTrue();
    }

    /// <summary>A worker that has run the only item and looks for more wakes nobody.</summary>
    [Fact]
    public void OneRootItem_AnotherWorkerSleeps_OneIsWoken()
    {
        using var checker = new Checker();
        Exploration found = checker.Exhaust(
            static () =>
            {
                var pool = new ModelPool(workers: 2, limit: 2, inFlightLimit: 1);
                return new ModelProgram(
                    [static () => { }],
                    () =>
                    {
                        pool.RequireDone("a");
                        ModelFailureException.Require(pool.Set.Wakes == 1, $"{pool.Set.Wakes} wakes");
                    },
                    pool.Dismiss)
                {
                    OnRest = () => pool.QueueRoot("a"),
                };
            },
            Bounds.Crowded);
        found.Failure.ShouldBeNull();
        found.IsComplete.ShouldBeTrue();
    }

    private static ModelProgram Create(bool isTaken, long useless)
    {
        var pool = new ModelPool(workers: 1, limit: 1, inFlightLimit: 1);
        return new ModelProgram(
            [static () => { }],
            () =>
            {
                pool.RequireDone("a");
                ModelFailureException.Require((pool.Set.Wakes, pool.Set.UselessWakes) == (1, useless),
                    $"{pool.Set.UselessWakes} of {pool.Set.Wakes} wakes were useless");
            },
            pool.Dismiss)
        {
            OnRest = () =>
            {
                pool.QueueInFlight("a");
                if (isTaken)
                {
                    pool.TakeInFlight();
                }
            },
        };
    }
}
