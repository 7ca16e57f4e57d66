using AdaptivePool.Tests.ModelChecking.Models;

namespace AdaptivePool.Tests.ModelChecking;

/// <summary>Before it lies down a worker yields once where the next item may come sooner than a wake takes, and never elsewhere.</summary>
public sealed class YieldTests
{
    [Theory]
    [InlineData(true, 1)]
    [InlineData(false, 0)]
    public void LyingDown_ClassHasShortItems_YieldsOnce(bool areShort, int yields)
    {
        using var checker = new Checker();
        Exploration found = checker.Exhaust(() => Create(areShort, yields), Bounds.Crowded);
        found.Failure.ShouldBeNull();
        found.IsComplete.ShouldBeTrue();
    }

    private static ModelProgram Create(bool areShort, int yields)
    {
        var pool = new ModelPool(workers: 1, limit: 1, inFlightLimit: 1);
        if (areShort)
        {
            pool.WarmUp(1);
        }

        VirtualThread? worker = null;
        int before = 0;
        return new ModelProgram(
            [
                () => pool.QueueInFlight("a", () =>
                {
                    worker = VirtualThread.Current;
                    before = worker!.Yields;
                }),
            ],
            () =>
            {
                pool.RequireDone("a");
                ModelFailureException.Require(worker!.Yields - before == yields, $"yielded {worker.Yields - before} times");
            },
            pool.Dismiss)
        {
            OnRest = static () => { },
        };
    }
}
