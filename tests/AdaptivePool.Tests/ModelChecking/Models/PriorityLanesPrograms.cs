using AdaptivePool.Queues;

namespace AdaptivePool.Tests.ModelChecking.Models;

/// <summary>The first use of a lane by two threads at once; the queues inside are trusted.</summary>
internal static class PriorityLanesPrograms
{
    public static NamedProgram[] All { get; } = [new("lanes: created twice", CreatedTwice, Bounds.Default)];

    private static ModelProgram CreatedTwice()
    {
        var lanes = new PriorityLanes<ModelSync>();
        var ledger = new Ledger();
        return new ModelProgram(
            [
                () => lanes.Enqueue("a", WorkPriority.High),
                () => lanes.Enqueue("b", WorkPriority.High),
                () =>
                {
                    lanes.TryDequeue(out object? item);
                    ledger.Take(2, item);
                },
            ],
            () =>
            {
                List<object> left = [];
                while (lanes.TryDequeue(out object? item))
                {
                    left.Add(item);
                }

                ledger.RequireAll(["a", "b"], left);
                ModelFailureException.Require(lanes.IsEmpty && lanes.Count == 0, "empty lanes count items");
            });
    }
}
