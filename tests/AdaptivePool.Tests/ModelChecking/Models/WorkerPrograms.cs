using AdaptivePool.Dispatch;

namespace AdaptivePool.Tests.ModelChecking.Models;

/// <summary>Workers take, steal and spill: no state in which all sleep and work is queued, and every item runs once.</summary>
internal static class WorkerPrograms
{
    public static NamedProgram[] All { get; } =
    [
        new("worker: going idle", GoingIdle, Bounds.Whole),
        new("worker: two workers, root item", RootItem, Bounds.Whole),
        new("worker: two producers, one worker", TwoProducers, Bounds.Whole),
        new("worker: local items are stolen", Stolen, Bounds.Whole),
        new("worker: two have local items", TwoHaveLocal, Bounds.Whole),
        new("worker: fair items, more than there were slots", Spilled, Bounds.Whole),
        new("worker: one slot for in-flight work", OneSlot, Bounds.Whole),
        new("worker: own work given up just as a slot comes free", GivenUp, Bounds.Crowded),
        new("worker: own work put while the other lies down", () => LiesDown(fair: false), Bounds.Whole),
        new("worker: own fair work put while the other lies down", () => LiesDown(fair: true), Bounds.Whole),
        new("worker: short items", ShortItems, Bounds.Whole),
        new("worker: served class", Served, Bounds.Crowded),
        new("worker: an item throws inside its wait", Throws, Bounds.Whole),
        new("worker: continuations share a task", Continuations, Bounds.Whole),
        new("worker: heartbeat", Heartbeat, Bounds.Whole),
    ];

    private static ModelProgram GoingIdle()
    {
        var pool = new ModelPool(workers: 1, limit: 1, inFlightLimit: 1);
        return new ModelProgram([() => pool.QueueRoot("a")], () => pool.RequireDone("a"), pool.Dismiss);
    }

    private static ModelProgram RootItem()
    {
        var pool = new ModelPool(workers: 2, limit: 2, inFlightLimit: 2);
        return new ModelProgram([() => pool.QueueRoot("a")], () => pool.RequireDone("a"), pool.Dismiss);
    }

    private static ModelProgram TwoProducers()
    {
        var pool = new ModelPool(workers: 1, limit: 1, inFlightLimit: 1);
        return new ModelProgram([() => pool.QueueRoot("a"), () => pool.QueueInFlight("b")], () => pool.RequireDone("a", "b"), pool.Dismiss);
    }

    // The second push wakes the other worker; the first does not, and the item is run by its owner.
    private static ModelProgram Stolen()
    {
        var pool = new ModelPool(workers: 2, limit: 1, inFlightLimit: 2);
        pool.QueueRoot("a", () =>
        {
            pool.PushLocal("b");
            pool.PushLocal("c");
        });
        return new ModelProgram([], () => pool.RequireDone("a", "b", "c"), pool.Dismiss);
    }

    private static ModelProgram TwoHaveLocal()
    {
        var pool = new ModelPool(workers: 2, limit: 2, inFlightLimit: 2);
        pool.QueueRoot("a", () => pool.PushLocal("b"));
        pool.QueueRoot("c", () => pool.PushLocal("d"));
        return new ModelProgram([], () => pool.RequireDone("a", "b", "c", "d"), pool.Dismiss);
    }

    private static ModelProgram Spilled()
    {
        var pool = new ModelPool(workers: 2, limit: 1, inFlightLimit: 1);
        pool.QueueRoot("a", () =>
        {
            pool.PushLocal("b", fair: true);
            pool.PushLocal("c", fair: true);
            pool.PushLocal("d", fair: true);
        });
        return new ModelProgram([], () => pool.RequireDone("a", "b", "c", "d"), pool.Dismiss);
    }

    // A worker whose local item finds no slot gives it to everybody and relies on the holder of the slot.
    private static ModelProgram OneSlot()
    {
        var pool = new ModelPool(workers: 2, limit: 1, inFlightLimit: 1);
        pool.QueueRoot("a", () => pool.PushLocal("b"));
        return new ModelProgram([() => pool.QueueInFlight("c")], () => pool.RequireDone("a", "b", "c"), pool.Dismiss);
    }

    // Whoever gave the slot back saw nothing queued, and sleeps; the worker that gives its own work up goes on with what waits for it.
    private static ModelProgram GivenUp()
    {
        var pool = new ModelPool(workers: 2, limit: 1, inFlightLimit: 1);
        WordParking<ModelSync> begin = new(), slot = new(), parking = new();
        pool.QueueInFlight("d", slot.Park);
        pool.QueueRoot("a", () =>
        {
            begin.Park();
            pool.PushLocal(pool.Item("b", parking.Unpark), fair: false);
            slot.Unpark();
        });
        return new ModelProgram([begin.Unpark], () => pool.RequireDone("a", "b", "c", "d"), pool.Dismiss)
        {
            OnRest = () => pool.QueueRoot("c", parking.Park),
        };
    }

    // Only the item that makes a second one is put with a fence: it fills the set of those who have work to spare. Whoever is falling asleep then looks there.
    private static ModelProgram LiesDown(bool fair)
    {
        var pool = new ModelPool(workers: 2, limit: 1, inFlightLimit: 2);
        var parking = new WordParking<ModelSync>();
        pool.QueueInFlight("a", () =>
        {
            // The owner takes the newest, or the oldest of those that are not to overtake; a thief the oldest of what is left.
            Action wait = parking.Park;
            Action release = parking.Unpark;
            pool.PushLocal(pool.Item("b", fair ? wait : release), fair);
            pool.PushLocal(pool.Item("c", fair ? release : static () => { }), fair);
            pool.PushLocal(pool.Item("d", fair ? static () => { } : wait), fair);
        });
        return new ModelProgram([() => pool.QueueInFlight("e")], () => pool.RequireDone("a", "b", "c", "d", "e"), pool.Dismiss);
    }

    // Whoever queues a short item relies on a worker of the class that runs.
    private static ModelProgram ShortItems()
    {
        var pool = new ModelPool(workers: 1, limit: 1, inFlightLimit: 1);
        pool.Root.WakeThreshold = WakeThresholdRule.Least;
        return new ModelProgram([() => pool.QueueRoot("a"), () => pool.QueueRoot("b")], () => pool.RequireDone("a", "b"), pool.Dismiss);
    }

    // Tiny items are left to one worker; whoever finds one more worker at it leaves, and somebody stays.
    private static ModelProgram Served()
    {
        var pool = new ModelPool(workers: 2, limit: 2, inFlightLimit: 1);
        pool.Root.WakeThreshold = WakeThresholdRule.Tiny;
        pool.Root.TinyWorkers = 1;
        return new ModelProgram([() => pool.QueueRoot("a"), () => pool.QueueRoot("b")], () => pool.RequireDone("a", "b"), pool.Dismiss);
    }

    // One throws, another queues work of another kind, and root work comes: what the worker took for the task and does not run there it runs next, with its
    // slot.
    private static ModelProgram Continuations()
    {
        var pool = new ModelPool(workers: 1, limit: 1, inFlightLimit: 1);
        int faults = 0;
        pool.OnFault = _ => faults++;
        return new ModelProgram(
            [
                () => pool.QueueRoot("a", () =>
                {
                    pool.Queue(WorkWay.PostedAsTask, pool.Item("b", static () => throw new InvalidOperationException("thrown")));
                    pool.Queue(WorkWay.PostedAsTask, pool.Item("c", () => pool.PushLocal("d")));
                }),
                () => pool.QueueRoot("e"),
            ],
            () =>
            {
                pool.RequireDone("a", "b", "c", "d", "e");
                ModelFailureException.Require(faults == 1, $"{faults} exceptions were reported");
            },
            pool.Dismiss)
        {
            OnRest = static () => { },
        };
    }

    // The slot that its wait has lent comes back, what it has queued runs, and the worker goes on.
    private static ModelProgram Throws()
    {
        var pool = new ModelPool(workers: 1, limit: 1, inFlightLimit: 1);
        int faults = 0;
        pool.OnFault = _ => faults++;
        return new ModelProgram(
            [
                () => pool.QueueInFlight("a", () =>
                {
                    pool.PushLocal("b");
                    Worker<ModelSync>.Current!.EnterWait(null);
                    throw new InvalidOperationException("thrown");
                }),
                () => pool.QueueRoot("c"),
            ],
            () =>
            {
                pool.RequireDone("a", "b", "c");
                ModelFailureException.Require(faults == 1, $"{faults} exceptions were reported");
            },
            pool.Dismiss)
        {
            OnRest = static () => { },
        };
    }

    // Who sees that an item runs sees when it started.
    private static ModelProgram Heartbeat()
    {
        var pool = new ModelPool(workers: 1, limit: 1, inFlightLimit: 1);
        pool.QueueRoot("a", static () => VirtualThread.Current!.Now = 5);
        pool.QueueRoot("b");
        var worker = (Worker<ModelSync>)pool.Set.TryGet(0)!;
        bool isRight = true;
        return new ModelProgram(
            [() => isRight = worker.Sequence != 3 || worker.ItemStartedAt == 5],
            () => ModelFailureException.Require(isRight, "the second item is seen with the start of the first"),
            pool.Dismiss);
    }
}
