using AdaptivePool.Dispatch;

namespace AdaptivePool.Tests.ModelChecking.Models;

/// <summary>An item waits: what its worker would run next goes to others, its slot is lent, and comes back past the limit.</summary>
internal static class BlockPrograms
{
    public static NamedProgram[] All { get; } =
    [
        new("block: the wait is for a local item", LocalItem, Bounds.Whole),
        new("block: the wait is for a lone item of short ones", LoneItem, Bounds.Whole),
        new("block: the wait is for a queued item", QueuedItem, Bounds.Whole),
        new("block: back past the limit", BackPastTheLimit, Bounds.Whole),
    ];

    // Nobody but the other worker can end the wait.
    private static ModelProgram LocalItem()
    {
        var pool = new ModelPool(workers: 2, limit: 1, inFlightLimit: 1);
        var parking = new WordParking<ModelSync>();
        pool.QueueRoot("a", () =>
        {
            pool.PushLocal(pool.Item("b", parking.Unpark), fair: false);
            pool.Wait(parking.Park);
        });
        return new ModelProgram([], () => pool.RequireDone("a", "b"), pool.Dismiss);
    }

    // No thief may take it while it is alone behind a short item: the wait itself gives it to the other worker.
    private static ModelProgram LoneItem()
    {
        var pool = new ModelPool(workers: 2, limit: 1, inFlightLimit: 2);
        var parking = new WordParking<ModelSync>();
        pool.WarmUp(2);
        return new ModelProgram(
            [
                () => pool.QueueRoot("a", () =>
                {
                    pool.PushLocal(pool.Item("b", parking.Unpark), fair: false);
                    pool.Wait(parking.Park);
                }),
            ],
            () => pool.RequireDone("a", "b"),
            pool.Dismiss)
        {
            OnRest = static () => { },
        };
    }

    // The one slot of in-flight work is held by the item that waits for the other.
    private static ModelProgram QueuedItem()
    {
        var pool = new ModelPool(workers: 2, limit: 1, inFlightLimit: 1);
        var parking = new WordParking<ModelSync>();
        pool.QueueInFlight("a", () => pool.Wait(parking.Park));
        return new ModelProgram([() => pool.QueueInFlight("b", parking.Unpark)], () => pool.RequireDone("a", "b"), pool.Dismiss);
    }

    private static ModelProgram BackPastTheLimit()
    {
        var pool = new ModelPool(workers: 2, limit: 1, inFlightLimit: 1);
        pool.Set.QueueInFlight(pool.Counted("a", () =>
        {
            pool.Wait(static () => { });
            pool.EndWait();
        }));
        pool.Set.QueueInFlight(pool.Counted("b"));
        pool.Set.QueueInFlight(pool.Counted("c"));
        return new ModelProgram([], () => pool.RequireDone("a", "b", "c"), pool.Dismiss);
    }
}
