using AdaptivePool.Dispatch;

namespace AdaptivePool.Tests.ModelChecking.Models;

/// <summary>
/// The threads that all root classes may take together: no wake is lost when one class gives a place to another, and one thread is left to work in flight.
/// </summary>
internal static class RootPrograms
{
    public static NamedProgram[] All { get; } =
    [
        new("root: a place goes to another class", AnotherClass, Bounds.Crowded),
        new("root: a place given up for work in flight", GivenUp, Bounds.Crowded),
        new("root: what an item waits for finds a thread", KeptThread, Bounds.Crowded),
        new("root: an item in flight that waits keeps its thread", WaitsInFlight, Bounds.Crowded),
        new("root: an item left to the worker that has the only place", OnlyPlace, Bounds.Crowded),
        new("root: a class that was held in passing may run again", HeldInPassing, new Bounds(Preemptions: 2, Ages: 0, IsCoarse: true)),
        new("root: the maximum is raised", Raised, Bounds.Whole),
        new("root: the maximum is lowered", Lowered, Bounds.Crowded),
        new("root: a lowered maximum gives a thread back to work in flight", GivesBack, Bounds.Crowded),
        new("root: work that a searcher has no room for is told", NoRoom, new Bounds(Preemptions: 2, Ages: 0, IsCoarse: true)),
        new("root: a class that was dropped in passing and is ready", Restored, new Bounds(Preemptions: 2, Ages: 0, IsCoarse: true)),
    ];

    private static ModelProgram AnotherClass()
    {
        (ModelPool pool, ClassCore<ModelSync> other) = Create();
        return new ModelProgram([() => pool.QueueRoot("a"), () => pool.QueueRoot(other, "b")], () => pool.RequireDone("a", "b"), pool.Dismiss);
    }

    private static ModelProgram GivenUp()
    {
        (ModelPool pool, ClassCore<ModelSync> other) = Create();
        pool.QueueRoot("a", () => pool.PushLocal("b"));
        return new ModelProgram([() => pool.QueueRoot(other, "c")], () => pool.RequireDone("a", "b", "c"), pool.Dismiss);
    }

    // Both classes have room for an item that waits; did both start, nobody would be left for what they wait for.
    private static ModelProgram KeptThread()
    {
        (ModelPool pool, ClassCore<ModelSync> other) = Create();
        var first = new WordParking<ModelSync>();
        var second = new WordParking<ModelSync>();
        pool.QueueRoot("a", () => pool.Wait(first.Park));
        pool.QueueRoot(other, "b", () => pool.Wait(second.Park));
        return new ModelProgram(
            [
                () =>
                {
                    pool.QueueInFlight("c", first.Unpark);
                    pool.QueueInFlight("d", second.Unpark);
                },
            ],
            () => pool.RequireDone("a", "b", "c", "d"),
            pool.Dismiss);
    }

    private static ModelProgram WaitsInFlight()
    {
        (ModelPool pool, _) = Create();
        var first = new WordParking<ModelSync>();
        var second = new WordParking<ModelSync>();
        pool.QueueInFlight("a", () => pool.Wait(() =>
        {
            pool.QueueRoot("b", () => pool.Wait(second.Park));
            first.Park();
        }));
        return new ModelProgram(
            [
                () =>
                {
                    // Time enough for the root item to take the last thread.
                    VirtualThread.AwaitRest();
                    pool.QueueInFlight("c", first.Unpark);
                    pool.QueueInFlight("d", second.Unpark);
                },
            ],
            () => pool.RequireDone("a", "b", "c", "d"),
            pool.Dismiss);
    }

    // As with MaxThreads 1: the second item is left to the first one's worker, which is just giving back its place. Only the class knows of that item.
    private static ModelProgram OnlyPlace()
    {
        var pool = new ModelPool(workers: 1, limit: 1, inFlightLimit: 1, maxThreads: 1, keepsThread: true);
        pool.Root.WakeThreshold = WakeThresholdRule.Tiny;
        return new ModelProgram([() => pool.QueueRoot("a"), () => pool.QueueRoot("b")], () => pool.RequireDone("a", "b"), pool.Dismiss);
    }

    // The worker that looks at root work first in this turn has taken the slot of the first class and no place among all root work. Meanwhile the other worker
    // gives that place back, finds the class full and goes to sleep. The first one goes on with work in flight that waits, where no hook sees it, for the item.
    private static ModelProgram HeldInPassing()
    {
        (ModelPool pool, ClassCore<ModelSync> other) = Create();
        WordParking<ModelSync> begin = new(), second = new(), last = new();
        for (int turn = 1; turn < TurnRule.RootEvery - 1; turn++)
        {
            pool.Set.QueueInFlight(new CallbackItem(static () => { }));
        }

        pool.QueueInFlight("a", () =>
        {
            begin.Park();
            pool.PushLocal(pool.Item("d", last.Park), fair: false);
        });
        return new ModelProgram([second.Unpark], () => pool.RequireDone("a", "b", "c", "d"), pool.Dismiss)
        {
            OnRest = () =>
            {
                pool.QueueRoot("b", last.Unpark);
                pool.QueueRoot(other, "c", second.Park);
                begin.Unpark();
            },
        };
    }

    private static ModelProgram Raised()
    {
        var pool = new ModelPool(workers: 2, limit: 2, inFlightLimit: 1, maxThreads: 2, keepsThread: true);
        var parking = new WordParking<ModelSync>();
        pool.QueueRoot("a", () => pool.Wait(parking.Park));
        pool.QueueRoot("b", parking.Unpark);
        return new ModelProgram([() => Resize(pool, 3)], () => pool.RequireDone("a", "b"), pool.Dismiss);
    }

    private static ModelProgram Lowered()
    {
        (ModelPool pool, ClassCore<ModelSync> other) = Create(maxThreads: 3);
        pool.QueueRoot("a");
        pool.QueueRoot(other, "b");
        pool.QueueRoot("c");
        return new ModelProgram([() => Resize(pool, 2)], () => pool.RequireDone("a", "b", "c"), pool.Dismiss);
    }

    // Both workers have a place of root work when the maximum goes down to two threads. The one that looks next gives its place back, or both would wait for
    // what nobody is left to run.
    private static ModelProgram GivesBack()
    {
        var pool = new ModelPool(workers: 2, limit: 2, inFlightLimit: 2, maxThreads: 3, keepsThread: true);
        WordParking<ModelSync>[] begins = [new(), new()];
        WordParking<ModelSync>[] ends = [new(), new()];
        foreach ((string name, WordParking<ModelSync> begin) in new[] { ("a", begins[0]), ("b", begins[1]) })
        {
            pool.QueueRoot(name, begin.Park);
        }

        return new ModelProgram(
            [
                () =>
                {
                    VirtualThread.AwaitRest();
                    pool.QueueInFlight("e", ends[0].Unpark);
                    pool.QueueInFlight("f", ends[1].Unpark);
                },
            ],
            () => pool.RequireDone("a", "b", "c", "d", "e", "f"),
            pool.Dismiss)
        {
            OnRest = () =>
            {
                Resize(pool, 2);
                pool.QueueRoot("c", ends[0].Park);
                pool.QueueRoot("d", ends[1].Park);
                Array.ForEach(begins, static begin => begin.Unpark());
            },
        };
    }

    // There is room when the item is queued. When the worker that was woken for it looks, an item in flight that waits has taken the place: nobody else can say
    // that the item waits for a thread.
    private static ModelProgram NoRoom()
    {
        (ModelPool pool, ClassCore<ModelSync> other) = Create();
        var parking = new WordParking<ModelSync>();
        bool isQueued = false;
        bool isTold = false;
        pool.Set.OnHeldUp = () => isTold |= isQueued;
        return new ModelProgram(
            [
                () => pool.QueueInFlight("a", () => pool.Wait(parking.Park)),
                () =>
                {
                    isQueued = true;
                    pool.QueueRoot(other, "b", () => isTold = true);
                },
                () =>
                {
                    VirtualThread.AwaitRest();
                    ModelFailureException.Require(isTold, "an item waits for a thread and nobody was told");
                    parking.Unpark();
                },
            ],
            () => pool.RequireDone("a", "b"),
            pool.Dismiss)
        {
            OnRest = static () => { },
        };
    }

    // Whoever drops a class that has nothing, and finds that it has, may go on with its own class: the worker that was woken for that work has looked in
    // between, and sleeps.
    private static ModelProgram Restored()
    {
        var pool = new ModelPool(workers: 2, limit: 1, inFlightLimit: 1);
        ClassCore<ModelSync> dropped = pool.AddClass(1);
        WordParking<ModelSync> begin = new(), end = new();
        pool.Set.TakesTurns = true;
        pool.QueueRoot("a", begin.Park);
        return new ModelProgram([() => pool.QueueRoot(dropped, "c", end.Unpark)], () => pool.RequireDone("a", "b", "c"), pool.Dismiss)
        {
            OnRest = () =>
            {
                // As after an item that somebody else has taken.
                pool.Set.Ready.Note(dropped.Number);
                pool.QueueRoot("b", end.Park);
                begin.Unpark();
            },
        };
    }

    /// <summary>SizingLoop: a new maximum.</summary>
    private static void Resize(ModelPool pool, int maxThreads)
    {
        pool.Set.MaxThreads = maxThreads;
        pool.Set.LookAgain();
    }

    private static (ModelPool Pool, ClassCore<ModelSync> Other) Create(int maxThreads = 2)
    {
        var pool = new ModelPool(workers: 2, limit: 1, inFlightLimit: 1, maxThreads, keepsThread: true);
        return (pool, pool.AddClass(1));
    }

    private static void QueueRoot(this ModelPool pool, ClassCore<ModelSync> target, string name, Action? body = null)
        => pool.Set.QueueRoot(target, pool.Item(name, body), RootPlace.Normal);
}
