using AdaptivePool.Dispatch;

namespace AdaptivePool.Tests.ModelChecking.Models;

/// <summary>Classes with a weight and one slot for all of them: none starves, no wake is lost, and the slot comes back whatever its item does.</summary>
internal static class SharePrograms
{
    public static NamedProgram[] All { get; } =
    [
        new("shares: two classes, one slot", OneSlot, Bounds.Crowded),
        new("shares: the slot goes to the other class's worker", OtherWorker, Bounds.Crowded),
        new("shares: an item that waits gives up the slot", GivesUp, Bounds.Crowded),
        new("shares: an item that throws gives back the slot", Throws, Bounds.Crowded),
        new("shares: a weight is given to a class with work", Given, Bounds.Crowded),
        new("shares: a weight is taken from a class with work", Taken, Bounds.Crowded),
        new("shares: slots are added", Added, Bounds.Crowded),
        new("shares: beside a class without a weight", Beside, Bounds.Crowded),
        new("shares: the end comes in the middle", Ends, Bounds.Crowded),
    ];

    private static ModelProgram OneSlot()
    {
        ModelPool pool = Create(workers: 1);
        return new ModelProgram([() => Queue(pool, pool.Root, "a"), () => Queue(pool, pool.Other, "b")], () => RequireDone(pool, "a", "b"), pool.Dismiss);
    }

    private static ModelProgram OtherWorker()
    {
        ModelPool pool = Create(workers: 2);
        return new ModelProgram([() => Queue(pool, pool.Root, "a"), () => Queue(pool, pool.Other, "b")], () => RequireDone(pool, "a", "b"), pool.Dismiss);
    }

    // Only the other class's item ends the wait.
    private static ModelProgram GivesUp()
    {
        ModelPool pool = Create(workers: 2);
        var parking = new WordParking<ModelSync>();
        Queue(pool, pool.Root, "a", () => pool.Wait(parking.Park));
        return new ModelProgram([() => Queue(pool, pool.Other, "b", parking.Unpark)], () => RequireDone(pool, "a", "b"), pool.Dismiss);
    }

    private static ModelProgram Throws()
    {
        ModelPool pool = Create(workers: 1);
        pool.OnFault = static _ => { };
        return new ModelProgram(
            [
                () => Queue(pool, pool.Root, "a", static () => throw new InvalidOperationException("planned")),
                () => Queue(pool, pool.Other, "b"),
            ],
            () => RequireDone(pool, "a", "b"),
            pool.Dismiss);
    }

    private static ModelProgram Given()
    {
        var pool = new ModelPool(workers: 1, limit: 1, inFlightLimit: 1);
        return new ModelProgram(
            [() => Queue(pool, pool.Root, "a"), () => pool.Set.SetWeight(pool.Root, 1, slots: 1)], () => RequireDone(pool, "a"), pool.Dismiss);
    }

    private static ModelProgram Taken()
    {
        ModelPool pool = Create(workers: 1);
        return new ModelProgram(
            [() => Queue(pool, pool.Root, "a"), () => pool.Set.SetWeight(pool.Root, 0, slots: 1)], () => RequireDone(pool, "a"), pool.Dismiss);
    }

    // The first item waits where no hook sees it: sizing gives out another slot.
    private static ModelProgram Added()
    {
        ModelPool pool = Create(workers: 2);
        var parking = new WordParking<ModelSync>();
        Queue(pool, pool.Root, "a", parking.Park);
        return new ModelProgram(
            [() => Queue(pool, pool.Other, "b", parking.Unpark), () => pool.Set.SetSharedSlots(2)], () => RequireDone(pool, "a", "b"), pool.Dismiss);
    }

    private static ModelProgram Beside()
    {
        var pool = new ModelPool(workers: 1, limit: 1, inFlightLimit: 1);
        pool.Set.SetWeight(pool.Root, 1, slots: 1);
        return new ModelProgram([() => Queue(pool, pool.Root, "a"), () => Queue(pool, pool.Other, "b")], () => RequireDone(pool, "a", "b"), pool.Dismiss);
    }

    private static ModelProgram Ends()
    {
        ModelPool pool = Create(workers: 1);
        return new ModelProgram([() => Queue(pool, pool.Root, "a"), pool.Set.Stop], () => pool.RequireEnded("a"), pool.Dismiss);
    }

    private static ModelPool Create(int workers)
    {
        var pool = new ModelPool(workers, limit: 1, inFlightLimit: 1);
        pool.Set.SetWeight(pool.Root, 3, slots: 1);
        pool.Set.SetWeight(pool.Other, 1, slots: 1);
        return pool;
    }

    private static void Queue(ModelPool pool, ClassCore<ModelSync> target, string name, Action? body = null)
        => pool.Set.QueueRoot(target, pool.Item(name, body), RootPlace.Normal);

    private static void RequireDone(ModelPool pool, params string[] items)
    {
        pool.RequireDone(items);
        ModelFailureException.Require(pool.Other.Limit.Active == 0, "a slot of the second class is lost");
        ModelFailureException.Require(pool.Set.Shares!.Slots.Active == 0, $"slots of the classes with a weight are lost: {pool.Set.Shares.Slots.Active}");
    }
}
