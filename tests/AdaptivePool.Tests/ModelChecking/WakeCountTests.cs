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

    private static ModelProgram Create(bool isTaken, long useless)
    {
        var workers = new ModelWorkers(workers: 1, limit: 1);
        workers.LieDownAll();
        workers.QueueRoot("a");
        if (isTaken)
        {
            workers.TakeOne(1);
        }

        return new ModelProgram(
            [() => workers.Work(0, startsAsleep: true)],
            () =>
            {
                workers.RequireDone("a");
                ModelFailureException.Require((workers.Wakes, workers.UselessWakes) == (1, useless), $"{workers.UselessWakes} of {workers.Wakes} wakes were useless");
            },
            workers.Dismiss);
    }
}
