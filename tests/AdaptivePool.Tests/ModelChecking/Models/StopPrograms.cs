namespace AdaptivePool.Tests.ModelChecking.Models;

/// <summary>The end of the workers while work is queued: nothing is lost, nothing runs twice, and all end. Nobody sleeps for good here: a worker that is not retired is a failure.</summary>
internal static class StopPrograms
{
    public static NamedProgram[] All { get; } =
    [
        new("stop: root work arrives", RootWork, Bounds.Whole),
        new("stop: in-flight work arrives", InFlightWork, Bounds.Whole),
        new("stop: a worker has local work", LocalWork, Bounds.Whole),
        new("stop: an item waits", Waiting, Bounds.Whole),
        new("stop: two workers", TwoWorkers, Bounds.Whole),
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

    // What the item has queued is given away before the wait, and nobody may be there any more to take it.
    private static ModelProgram Waiting()
    {
        var pool = new ModelPool(workers: 1, limit: 1, inFlightLimit: 1);
        pool.QueueRoot("a", () =>
        {
            pool.PushLocal("b");
            pool.Wait(() => pool.PushLocal("c"));
        });
        return new ModelProgram([pool.Set.Stop], () => pool.RequireEnded("a", "b", "c"));
    }

    private static ModelProgram TwoWorkers()
    {
        var pool = new ModelPool(workers: 2, limit: 1, inFlightLimit: 1);
        pool.QueueRoot("a");
        return new ModelProgram([pool.Set.Stop], () => pool.RequireEnded("a"));
    }
}
