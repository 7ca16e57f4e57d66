using AdaptivePool.Dispatch;

namespace AdaptivePool.Tests.ModelChecking.Models;

/// <summary>A closed pool is drained when nothing is left, and not while an item moves past the looks.</summary>
internal static class DrainPrograms
{
    public static NamedProgram[] All { get; } =
    [
        new("drain: what is outstanding queues its continuation", Continuation, Bounds.Whole),
        new("drain: an item leaves something outstanding", Outstanding, Bounds.Whole),
        new("drain: an item waits", Waiting, Bounds.Whole),
        new("drain: a worker gives its own work away", Spilled, Bounds.Crowded),
        new("drain: a worker is woken and gives its own work away", static () => Woken(queue: static (pool, spill) => pool.QueueRoot("a", spill)),
            Bounds.Crowded),
        new("drain: a worker is woken for work in flight", static () => Woken(queue: static (pool, spill) => pool.QueueInFlight("a", spill)), Bounds.Crowded),
    ];

    // As a function that awaited does: it queues what follows, and is over.
    private static ModelProgram Continuation()
    {
        var pool = new ModelPool(workers: 1, limit: 1, inFlightLimit: 1);
        var drain = new DrainWatch<ModelSync>(pool.Set);
        drain.Begin();
        return Program(pool, drain, ["a"], () =>
        {
            pool.QueueInFlight("a");
            drain.End();
        });
    }

    private static ModelProgram Outstanding()
    {
        var pool = new ModelPool(workers: 1, limit: 1, inFlightLimit: 1);
        var drain = new DrainWatch<ModelSync>(pool.Set);
        var parking = new WordParking<ModelSync>();
        pool.QueueRoot("a", () =>
        {
            drain.Begin();
            parking.Unpark();
        });
        return Program(pool, drain, ["a", "b"], () =>
        {
            parking.Park();
            pool.QueueInFlight("b");
            drain.End();
        });
    }

    // The slot is lent: nobody holds one, and the item is not over.
    private static ModelProgram Waiting()
    {
        var pool = new ModelPool(workers: 1, limit: 1, inFlightLimit: 1);
        var drain = new DrainWatch<ModelSync>(pool.Set);
        var parking = new WordParking<ModelSync>();
        drain.Begin();
        return Program(
            pool,
            drain,
            ["a", "b"],
            () =>
            {
                pool.QueueInFlight("a", () =>
                {
                    pool.Wait(parking.Park);
                    pool.PushLocal("b");
                });
                drain.End();
            },
            parking.Unpark);
    }

    private static ModelProgram Spilled()
    {
        var pool = new ModelPool(workers: 2, limit: 1, inFlightLimit: 1);
        var drain = new DrainWatch<ModelSync>(pool.Set);
        pool.QueueInFlight("c");
        pool.QueueRoot("a", () => pool.PushLocal("b"));
        return Program(pool, drain, ["a", "b", "c"]);
    }

    // Whoever wakes it has taken it from the idle ones and has not counted that yet: the count is too high while the worker sleeps, and right before it moves.
    private static ModelProgram Woken(Action<ModelPool, Action> queue)
    {
        var pool = new ModelPool(workers: 1, limit: 1, inFlightLimit: 1);
        var drain = new DrainWatch<ModelSync>(pool.Set);
        var parking = new WordParking<ModelSync>();
        drain.Begin();
        return Program(
            pool,
            drain,
            ["a", "b"],
            () =>
            {
                queue(pool, () =>
                {
                    pool.PushLocal("b");
                    pool.Wait(parking.Park);
                });
                drain.End();
            },
            parking.Unpark) with { OnRest = static () => { } };
    }

    private static ModelProgram Program(ModelPool pool, DrainWatch<ModelSync> drain, string[] items, params Action[] others)
    {
        void Drain()
        {
            // Three looks where an item may move past each, and then those that come when all is over.
            bool isQuiet = drain.Look() || drain.Look() || drain.Look();
            if (!isQuiet)
            {
                VirtualThread.AwaitRest();
                ModelFailureException.Require(drain.Look() | drain.Look(), "nothing is left, and two looks do not find it so");
            }

            pool.Ledger.RequireAll(items, []);
        }

        return new ModelProgram([Drain, .. others], () => pool.RequireDone(items), pool.Dismiss);
    }
}
