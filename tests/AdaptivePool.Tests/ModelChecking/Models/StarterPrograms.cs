using AdaptivePool.Dispatch;

namespace AdaptivePool.Tests.ModelChecking.Models;

/// <summary>The thread that starts threads: a request is never lost, a refusal is not the end, and the place of a worker that ends is free again.</summary>
internal static class StarterPrograms
{
    public static NamedProgram[] All { get; } =
    [
        new("starter: first item", FirstItem, Bounds.Whole),
        new("starter: two requests", TwoRequests, Bounds.Crowded),
        new("starter: refused at first", Refused, Bounds.Whole),
        new("starter: work arrives while the last worker retires", LastRetires, Bounds.Whole),
        new("starter: stopped", Stopped, Bounds.Whole),
    ];

    private static ModelProgram FirstItem()
    {
        var pool = new ModelPool(workers: 0, limit: 1, inFlightLimit: 1, maxThreads: 1);
        pool.AddStarter();
        return new ModelProgram([() => pool.QueueRoot("a")], () => pool.RequireDone("a"), pool.Dismiss);
    }

    private static ModelProgram TwoRequests()
    {
        var pool = new ModelPool(workers: 0, limit: 1, inFlightLimit: 1, maxThreads: 1);
        pool.AddStarter();
        return new ModelProgram([() => pool.QueueRoot("a"), () => pool.QueueInFlight("b")], () => pool.RequireDone("a", "b"), pool.Dismiss);
    }

    private static ModelProgram Refused()
    {
        var threads = new RefusingThreads(refusals: 1);
        var pool = new ModelPool(workers: 0, limit: 1, inFlightLimit: 1, maxThreads: 1, threads);
        pool.AddStarter(threads);
        return new ModelProgram(
            [() => pool.QueueRoot("a")],
            () =>
            {
                pool.RequireDone("a");
                ModelFailureException.Require(pool.Set.CreationFailures == 1, "the refusal is not counted");
            },
            pool.Dismiss);
    }

    // The worker that ends still takes up the only place when the new item asks for a thread.
    private static ModelProgram LastRetires()
    {
        var pool = new ModelPool(workers: 1, limit: 1, inFlightLimit: 1);
        pool.AddStarter();
        return new ModelProgram(
            [
                () =>
                {
                    pool.Set.Retire(1);
                    pool.QueueRoot("a");
                },
            ],
            () => pool.RequireDone("a"),
            pool.Dismiss);
    }

    // Nobody is dismissed: a starter that sleeps on is a failure.
    private static ModelProgram Stopped()
    {
        var pool = new ModelPool(workers: 0, limit: 1, inFlightLimit: 1, maxThreads: 1);
        pool.Set.MostThreads = 0;
        StarterLoop<ModelSync> starter = pool.AddStarter();
        return new ModelProgram([starter.Request, starter.Stop], static () => { });
    }
}
