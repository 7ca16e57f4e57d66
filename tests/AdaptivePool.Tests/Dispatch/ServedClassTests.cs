using AdaptivePool.Dispatch;
using AdaptivePool.Tests.ModelChecking;
using AdaptivePool.Tests.ModelChecking.Models;

namespace AdaptivePool.Tests.Dispatch;

/// <summary>Tiny items are left to as many workers as are enough: whoever is one too many leaves.</summary>
public sealed class ServedClassTests : IDisposable
{
    private const int Items = 20;
    private readonly Checker _checker = new();

    public void Dispose() => _checker.Dispose();

    [Fact]
    public void TinyItems_TwoWorkersAndOneIsEnough_AreLeftToOne() =>
        _checker.Exhaust(Create, new Bounds(Preemptions: 0, Ages: 0, IsCoarse: true)).Failure.ShouldBeNull();

    private static ModelProgram Create()
    {
        var pool = new ModelPool(workers: 2, limit: 2, inFlightLimit: 2);
        WordParking<ModelSync>[] begins = [new(), new()];
        var byWorker = new int[2];
        foreach (WordParking<ModelSync> begin in begins)
        {
            pool.QueueRoot("held", begin.Park);
        }

        return new ModelProgram(
            [],
            () => ModelFailureException.Require(byWorker.Sum() == Items && byWorker.Min() == 0, $"the workers ran {byWorker[0]} and {byWorker[1]}"),
            pool.Dismiss)
        {
            OnRest = () =>
            {
                pool.Root.WakeThreshold = WakeThresholdRule.Tiny;
                pool.Root.TinyWorkers = 1;
                for (int i = 0; i < Items; i++)
                {
                    // Each makes way, as a thread does whose processor is wanted.
                    pool.QueueRoot("tiny", () =>
                    {
                        byWorker[Worker<ModelSync>.Current!.Id]++;
                        VirtualThread.MakeWay();
                    });
                }

                Array.ForEach(begins, static begin => begin.Unpark());
            },
        };
    }
}
