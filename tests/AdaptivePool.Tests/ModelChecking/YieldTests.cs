using System.Diagnostics;
using AdaptivePool.Tests.ModelChecking.Models;

namespace AdaptivePool.Tests.ModelChecking;

/// <summary>Before it lies down a worker yields once where the next item may come sooner than a wake takes, and never elsewhere.</summary>
public sealed class YieldTests
{
    // Told by the worker's own items, whichever classes they are of.
    [Theory]
    [InlineData(true, 1)]
    [InlineData(false, 0)]
    public void LyingDown_OwnItemsAreShort_YieldsOnce(bool areShort, int yields)
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
        else
        {
            // Items are timed on a clock that does not stand at 0.
            pool.Set.QueueInFlight(new CallbackItem(Pass));
        }

        VirtualThread? worker = null;
        int before = 0;
        return new ModelProgram(
            [
                () => pool.QueueInFlight("a", () =>
                {
                    worker = VirtualThread.Current;
                    before = worker!.Yields;
                    if (!areShort)
                    {
                        Pass();
                    }
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

        static void Pass() => VirtualThread.Current!.Now += Stopwatch.Frequency;
    }
}
