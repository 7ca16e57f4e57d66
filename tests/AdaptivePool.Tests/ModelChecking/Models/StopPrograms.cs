using AdaptivePool.Dispatch;

namespace AdaptivePool.Tests.ModelChecking.Models;

/// <summary>
/// The end of the workers while work is queued: nothing is lost, nothing runs twice, and all end. Nobody sleeps for good here: a worker that is not retired is
/// a failure.
/// </summary>
internal static class StopPrograms
{
    public static NamedProgram[] All { get; } =
    [
        new("stop: root work arrives", RootWork, Bounds.Whole),
        new("stop: in-flight work arrives", InFlightWork, Bounds.Whole),
        new("stop: a worker has local work", LocalWork, Bounds.Whole),
        new("stop: an item waits", Waiting, Bounds.Whole),
        new("stop: an item waits for what it queued", WaitingForOwn, Bounds.Whole),
        new("stop: an item goes on and its local work is handed over", GoesOn, Bounds.Whole),
        new("stop: an item waits for what comes after the end", WaitingForLate, Bounds.Whole),
        new("stop: continuations share a task", Continuations, Bounds.Whole),
        new("stop: two workers", TwoWorkers, Bounds.Whole),
        new("stop: a worker spills while the holder of the slot ends", Spills, Bounds.Whole),
    ];

    private static ModelProgram RootWork()
    {
        var pool = new ModelPool(workers: 1, limit: 1, inFlightLimit: 1);
        return new ModelProgram([() => pool.QueueRoot("a"), pool.Set.Stop], () => pool.RequireEnded("a"));
    }

    private static ModelProgram InFlightWork()
    {
        var pool = new ModelPool(workers: 1, limit: 1, inFlightLimit: 1);
        return new ModelProgram([() => pool.QueueInFlight("a"), pool.Set.Stop], () => pool.RequireEnded("a"));
    }

    private static ModelProgram LocalWork()
    {
        var pool = new ModelPool(workers: 1, limit: 1, inFlightLimit: 1);
        pool.QueueRoot("a", () =>
        {
            pool.PushLocal("b");
            pool.PushLocal("c", fair: true);
        });
        return new ModelProgram([pool.Set.Stop], () => pool.RequireEnded("a", "b", "c"));
    }

    // What the item has queued is given away before the wait, and what comes to it meanwhile is given away as well; nobody may be there any more to take
    // either.
    private static ModelProgram Waiting()
    {
        var pool = new ModelPool(workers: 1, limit: 1, inFlightLimit: 1);
        var parking = new WordParking<ModelSync>();
        pool.QueueRoot("a", () =>
        {
            pool.PushLocal("b");
            pool.Wait(() =>
            {
                pool.PushLocal(pool.Item("c", parking.Unpark), fair: false);
                parking.Park();
            });
        });
        return new ModelProgram([pool.Set.Stop], () => pool.RequireEnded("a", "b", "c"));
    }

    // Nobody takes the other item unless the wait, the push or the end hands it over.
    private static ModelProgram WaitingForOwn()
    {
        var pool = new ModelPool(workers: 1, limit: 1, inFlightLimit: 1);
        var parking = new WordParking<ModelSync>();
        pool.QueueRoot("a", () =>
        {
            pool.PushLocal(pool.Item("b", parking.Unpark), fair: true);
            pool.Wait(parking.Park);
        });
        return new ModelProgram([pool.Set.Stop], () => pool.RequireEnded("a", "b"));
    }

    // The item waits for the other one where no hook sees it. Only the end of the pool can hand that over: the push came long before.
    private static ModelProgram GoesOn()
    {
        var pool = new ModelPool(workers: 1, limit: 1, inFlightLimit: 1);
        var parking = new WordParking<ModelSync>();
        pool.QueueRoot("a", () =>
        {
            pool.PushLocal(pool.Item("b", parking.Unpark), fair: false);
            parking.Park();
        });
        return new ModelProgram(
            [
                () =>
                {
                    VirtualThread.AwaitRest();
                    pool.Set.Stop();
                },
            ],
            () => pool.RequireEnded("a", "b"));
    }

    // The item waits already when the pool ends; what ends the wait comes later, as what continues accepted work.
    private static ModelProgram WaitingForLate()
    {
        var pool = new ModelPool(workers: 1, limit: 1, inFlightLimit: 1);
        var parking = new WordParking<ModelSync>();
        pool.QueueRoot("a", () => pool.Wait(parking.Park));
        return new ModelProgram([pool.Set.Stop, () => pool.QueueInFlight("b", parking.Unpark)], () => pool.RequireEnded("a", "b"));
    }

    // The worker holds an item in its hand when it leaves the task of the others.
    private static ModelProgram Continuations()
    {
        var pool = new ModelPool(workers: 1, limit: 1, inFlightLimit: 1);
        pool.QueueRoot("a", () =>
        {
            pool.Queue(WorkWay.PostedAsTask, pool.Item("b"));
            pool.Queue(WorkWay.PostedAsTask, pool.Item("c", () => pool.PushLocal("d")));
        });
        return new ModelProgram([pool.Set.Stop], () => pool.RequireEnded("a", "b", "c", "d"));
    }

    private static ModelProgram TwoWorkers()
    {
        var pool = new ModelPool(workers: 2, limit: 1, inFlightLimit: 1);
        pool.QueueRoot("a");
        return new ModelProgram([pool.Set.Stop], () => pool.RequireEnded("a"));
    }

    // The one slot of in-flight work is taken when the other worker looks, and free when it has given its work to everybody.
    private static ModelProgram Spills()
    {
        var pool = new ModelPool(workers: 2, limit: 1, inFlightLimit: 1);
        pool.QueueInFlight("a");
        pool.QueueRoot("b", () => pool.PushLocal("c"));
        return new ModelProgram([pool.Set.Stop], () => pool.RequireEnded("a", "b", "c"));
    }
}
