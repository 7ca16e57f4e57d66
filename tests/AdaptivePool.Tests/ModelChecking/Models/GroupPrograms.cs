using AdaptivePool.Dispatch;

namespace AdaptivePool.Tests.ModelChecking.Models;

/// <summary>Groups of workers are a matter of who comes first: whatever group work and workers belong to, and whenever that changes, it runs once.</summary>
internal static class GroupPrograms
{
    public static NamedProgram[] All { get; } =
    [
        new("groups: work of a group without workers", OtherGroup, Bounds.Crowded),
        new("groups: the worker of another group sleeps", OtherSleeps, Bounds.Crowded),
        new("groups: two groups, work for each", BothGroups, Bounds.Crowded),
        new("groups: their number changes while work arrives", Regrouped, Bounds.Crowded),
        new("groups: their number changes while a worker goes to sleep", RegroupedAsleep, Bounds.Crowded),
        new("groups: the end comes in the middle", Ends, Bounds.Crowded),
        new("batches: work comes while a worker waits for it", Batched, Bounds.Whole),
        new("batches: work comes to two workers that wait", BothBatched, Bounds.Crowded),
        new("batches: other work comes while a worker waits", OtherThanBatched, Bounds.Crowded),
        new("batches: the end comes while a worker waits", EndsBatched, Bounds.Crowded),
    ];

    private static ModelProgram OtherGroup()
    {
        ModelPool pool = Create(workers: 1);
        return new ModelProgram([() => Queue(pool, 0, "a"), () => Queue(pool, 1, "b")], () => pool.RequireDone("a", "b"), pool.Dismiss);
    }

    private static ModelProgram OtherSleeps()
    {
        ModelPool pool = Create(workers: 1);
        return new ModelProgram([() => Queue(pool, 1, "b")], () => pool.RequireDone("b"), pool.Dismiss) { OnRest = static () => { } };
    }

    private static ModelProgram BothGroups()
    {
        ModelPool pool = Create(workers: 2);
        return new ModelProgram([() => Queue(pool, 0, "a"), () => Queue(pool, 1, "b")], () => pool.RequireDone("a", "b"), pool.Dismiss)
        {
            OnRest = static () => { },
        };
    }

    private static ModelProgram Regrouped()
    {
        var pool = new ModelPool(workers: 1, limit: 1, inFlightLimit: 1);
        return new ModelProgram(
            [
                () => Queue(pool, 1, "a"),
                () =>
                {
                    pool.Set.Idle.SetGroups(2);
                    pool.Set.Idle.SetGroups(1);
                },
            ],
            () => pool.RequireDone("a"),
            pool.Dismiss)
        {
            OnRest = static () => { },
        };
    }

    // From the start of the worker on: it lies down in a group that the one who queues may not have seen.
    private static ModelProgram RegroupedAsleep()
    {
        var pool = new ModelPool(workers: 2, limit: 1, inFlightLimit: 1);
        return new ModelProgram([() => pool.Set.Idle.SetGroups(2), () => Queue(pool, 0, "a")], () => pool.RequireDone("a"), pool.Dismiss);
    }

    private static ModelProgram Ends()
    {
        ModelPool pool = Create(workers: 1);
        return new ModelProgram([() => Queue(pool, 1, "a"), pool.Set.Stop], () => pool.RequireEnded("a"), pool.Dismiss);
    }

    private static ModelProgram Batched()
    {
        ModelPool pool = CreateWaiting(workers: 1);
        return new ModelProgram([() => Queue(pool, 0, "a"), () => Queue(pool, 0, "b")], () => pool.RequireDone("a", "b"), pool.Dismiss)
        {
            OnRest = static () => { },
        };
    }

    private static ModelProgram BothBatched()
    {
        ModelPool pool = CreateWaiting(workers: 2);
        return new ModelProgram([() => Queue(pool, 0, "b"), () => Queue(pool, 1, "c")], () => pool.RequireDone("a", "b", "c"), pool.Dismiss)
        {
            OnRest = () => Queue(pool, 0, "a"),
        };
    }

    private static ModelProgram OtherThanBatched()
    {
        ModelPool pool = CreateWaiting(workers: 1);
        return new ModelProgram([() => pool.QueueInFlight("b"), () => pool.Queue(WorkWay.OtherClass, pool.Item("c"))],
            () => pool.RequireDone("a", "b", "c"),
            pool.Dismiss)
        {
            OnRest = () => Queue(pool, 0, "a"),
        };
    }

    private static ModelProgram EndsBatched()
    {
        ModelPool pool = CreateWaiting(workers: 1);
        return new ModelProgram([() => Queue(pool, 0, "b"), pool.Set.Stop], () => pool.RequireEnded("a", "b"), pool.Dismiss)
        {
            OnRest = () => Queue(pool, 0, "a"),
        };
    }

    private static ModelPool CreateWaiting(int workers)
    {
        ModelPool pool = Create(workers);
        pool.Root.Batches = new BatchRule(0, isOn: true);
        pool.Other.Batches = new BatchRule(0, isOn: true);
        return pool;
    }

    private static ModelPool Create(int workers)
    {
        var pool = new ModelPool(workers, limit: workers, inFlightLimit: 1);
        pool.Set.Idle.SetGroups(2);
        return pool;
    }

    private static void Queue(ModelPool pool, long route, string name) => pool.Set.QueueRoot(pool.Root, pool.Item(name), RootPlace.Of(route));
}
