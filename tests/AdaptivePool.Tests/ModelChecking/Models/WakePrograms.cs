using AdaptivePool.Dispatch;

namespace AdaptivePool.Tests.ModelChecking.Models;

/// <summary>Queued work finds a sleeping worker: no state in which all sleep and work is queued. The workers sleep when these programs begin.</summary>
internal static class WakePrograms
{
    public static NamedProgram[] All { get; } =
    [
        new("wake: one producer, two workers", OneProducer, Bounds.Longest),
        new("wake: two producers, one worker", TwoProducers, Bounds.Longest),
        new("wake: one slot, two workers", OneSlot, Bounds.Longest),
        new("wake: raised limit", RaisedLimit, Bounds.Longest),
        new("wake: going idle", GoingIdle, Bounds.Longest),
        new("wake: slot given up", SlotGivenUp, Bounds.Whole),
        new("wake: useless wake", UselessWake, Bounds.Longest),
        new("wake: found work", FoundWork, Bounds.Whole),
        new("wake: found work of another class", FoundOther, Bounds.Whole),
        new("wake: served class", Served, Bounds.Longest),
        new("wake: more workers than tiny items need", Overserved, Bounds.Whole),
        new("wake: stop", Stop, Bounds.Longest),
        new("wake: one at a time", OneAtATime, Bounds.Default),
        new("wake: the searcher has found work", SearcherHasFound, Bounds.Longest),
        new("wake: whoever relies on the token sees its holder's debt", HolderOwes, Bounds.Longest),
        new("wake: who searches next knows what the last searcher has learned", SearcherLearns, Bounds.Default),
    ];

    private static ModelProgram OneProducer() => TwoAsleep(new ModelPool(workers: 2, limit: 2, inFlightLimit: 1));

    private static ModelProgram OneSlot() => TwoAsleep(new ModelPool(workers: 2, limit: 1, inFlightLimit: 1));

    // What is queued while the one worker for tiny items runs is left to it, whatever it does at that moment.
    private static ModelProgram Served() => TwoAsleep(OneTinyWorker());

    // Both workers sleep, one of them called for an item that is there, and another item comes.
    private static ModelProgram TwoAsleep(ModelPool pool) =>
        new([() => pool.QueueRoot("b")], () => pool.RequireDone("a", "b"), pool.Dismiss) { OnRest = () => pool.QueueRoot("a") };

    private static ModelProgram GoingIdle()
    {
        var pool = new ModelPool(workers: 1, limit: 1, inFlightLimit: 1);
        return new ModelProgram([() => pool.QueueRoot("a")], () => pool.RequireDone("a"), pool.Dismiss);
    }

    private static ModelProgram TwoProducers()
    {
        var pool = new ModelPool(workers: 1, limit: 1, inFlightLimit: 1);
        return new ModelProgram([() => pool.QueueRoot("a"), () => pool.QueueRoot("b")], () => pool.RequireDone("a", "b"), pool.Dismiss) { OnRest = static ()
            => { } };
    }

    private static ModelProgram RaisedLimit()
    {
        var pool = new ModelPool(workers: 1, limit: 0, inFlightLimit: 1);
        return new ModelProgram([() => pool.QueueRoot("a"), () => pool.Resize(1)], () => pool.RequireDone("a"), pool.Dismiss) { OnRest = static () => { } };
    }

    // The releaser goes on with an item of its own, of another class, that waits for the new one, so that only its own look after the release can help.
    private static ModelProgram SlotGivenUp()
    {
        var pool = new ModelPool(workers: 2, limit: 1, inFlightLimit: 2);
        var parking = new WordParking<ModelSync>();
        pool.WarmUp(2);
        return new ModelProgram([() => pool.QueueRoot("b", parking.Unpark)], () => pool.RequireDone("a", "b", "c"), pool.Dismiss)
        {
            OnRest = () => pool.QueueRoot("a", () => pool.PushLocal(pool.Item("c", parking.Park), fair: false)),
        };
    }

    // Another has taken the item, and the searcher lies down again while the next one is queued.
    private static ModelProgram UselessWake()
    {
        var pool = new ModelPool(workers: 1, limit: 1, inFlightLimit: 1);
        return new ModelProgram([() => pool.QueueRoot("b")], () => pool.RequireDone("a", "b"), pool.Dismiss)
        {
            OnRest = () =>
            {
                pool.QueueInFlight("a");
                pool.TakeInFlight();
            },
        };
    }

    // What the searcher found waits for what comes, so that only its look after giving the token back can help whoever relied on it.
    private static ModelProgram FoundWork()
    {
        var pool = new ModelPool(workers: 2, limit: 2, inFlightLimit: 1);
        var parking = new WordParking<ModelSync>();
        return new ModelProgram([() => pool.QueueRoot("b", parking.Unpark)], () => pool.RequireDone("a", "b"), pool.Dismiss) { OnRest = ()
            => pool.QueueRoot("a", parking.Park) };
    }

    // The same where the look finds no trace of the other class: what it tidies up for the class of the item comes after it.
    private static ModelProgram FoundOther()
    {
        var pool = new ModelPool(workers: 2, limit: 2, inFlightLimit: 1);
        var parking = new WordParking<ModelSync>();
        ClassCore<ModelSync> other = pool.Other;
        return new ModelProgram([() => pool.QueueRoot("b", parking.Unpark)], () => pool.RequireDone("a", "b"), pool.Dismiss)
        {
            OnRest = () => pool.Set.QueueRoot(other, pool.Item("a", parking.Park), RootPlace.Normal),
        };
    }

    // The woken worker searches, and wakes the next one itself if it finds something: a second wake at once is one too many. The threads of the workers have
    // not come to run yet.
    private static ModelProgram OneAtATime()
    {
        var pool = new ModelPool(workers: 2, limit: 2, inFlightLimit: 1, threads: new ThreadsNeverRun());
        pool.Set.LieDown(pool.Set.TryGet(0)!);
        pool.Set.LieDown(pool.Set.TryGet(1)!);
        return new ModelProgram(
            [() => pool.QueueRoot("a"), () => pool.QueueRoot("b")],
            () => ModelFailureException.Require(pool.Set.Wakes == 1 && pool.Set.Idle.Count == 1, "two searchers at once"));
    }

    // What is queued beside a searcher that has just found an item is seen by that one's look, or by whoever queued it when the token has been given back.
    private static ModelProgram SearcherHasFound()
    {
        (ModelPool pool, Sleeper<ModelSync> searcher) = WithSearcher();
        return new ModelProgram(
            [() => pool.QueueRoot("a"), () => pool.Set.FoundWork(searcher)],
            () => ModelFailureException.Require(pool.Set.Wakes == 2, "an item is queued, and nobody was woken for it"));
    }

    // Who asks for a worker and finds the token taken owes nothing from then on: whoever sees that, as the audit does, must see the debt of the token's holder,
    // or what came of it.
    private static ModelProgram HolderOwes()
    {
        var pool = new ModelPool(workers: 1, limit: 1, inFlightLimit: 1, threads: new ThreadsNeverRun());
        pool.Set.LieDown(pool.Set.TryGet(0)!);
        var asked = new WordParking<ModelSync>();
        return new ModelProgram(
            [
                () => pool.Set.EnsureWorker(),
                () =>
                {
                    pool.Set.EnsureWorker();
                    asked.Unpark();
                },
                () =>
                {
                    asked.Park();
                    ModelFailureException.Require(pool.Set.IsOwed || pool.Set.Wakes == 1, "nobody was woken, and nobody owes a wake");
                },
            ],
            static () => { });
    }

    // What is learned under the token is in memory that nothing else orders.
    private static ModelProgram SearcherLearns()
    {
        var pool = new ModelPool(workers: 2, limit: 2, inFlightLimit: 1, threads: new ThreadsNeverRun());
        Cell learned = new();
        int[] searches = new int[2];
        return new ModelProgram(
            [() => Learn(0), () => Learn(1)],
            () => ModelFailureException.Require(ModelSync.Read(ref learned.Value, string.Empty, 3) == searches.Sum(), "what one searcher has learned is lost"));

        void Learn(int id)
        {
            Sleeper<ModelSync> worker = pool.Set.TryGet(id)!;
            if (pool.Set.TryBeginSearch(worker))
            {
                searches[id]++;
                ModelSync.Write(ref learned.Value, ModelSync.Read(ref learned.Value, string.Empty, 1) + 1, string.Empty, 2);
                pool.Set.EndSearch(worker);
            }
        }
    }

    // Two workers whose threads have not come to run: one is woken and carries the token, the other sleeps.
    private static (ModelPool Pool, Sleeper<ModelSync> Searcher) WithSearcher()
    {
        var pool = new ModelPool(workers: 2, limit: 2, inFlightLimit: 1, threads: new ThreadsNeverRun());
        pool.Set.LieDown(pool.Set.TryGet(0)!);
        Sleeper<ModelSync> searcher = pool.Set.TryGet(1)!;
        pool.Set.LieDown(searcher);
        pool.Set.EnsureWorker();
        return (pool, searcher);
    }

    // Both may take a slot before either sees the other, and both may leave for the other.
    private static ModelProgram Overserved()
    {
        ModelPool pool = OneTinyWorker();
        pool.QueueRoot("a");
        return new ModelProgram([() => pool.QueueRoot("b")], () => pool.RequireDone("a", "b"), pool.Dismiss);
    }

    private static ModelProgram Stop()
    {
        var pool = new ModelPool(workers: 1, limit: 1, inFlightLimit: 1);
        return new ModelProgram([() => pool.QueueRoot("a"), pool.Set.Stop], () => pool.RequireEnded("a")) { OnRest = static () => { } };
    }

    private static ModelPool OneTinyWorker()
    {
        var pool = new ModelPool(workers: 2, limit: 2, inFlightLimit: 1);
        pool.Root.WakeThreshold = WakeThresholdRule.Tiny;
        pool.Root.TinyWorkers = 1;
        return pool;
    }
}
