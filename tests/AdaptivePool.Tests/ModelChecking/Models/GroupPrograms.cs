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

    private static ModelPool Create(int workers)
    {
        var pool = new ModelPool(workers, limit: workers, inFlightLimit: 1);
        pool.Set.Idle.SetGroups(2);
        return pool;
    }

    private static void Queue(ModelPool pool, long route, string name) => pool.Set.QueueRootAt(pool.Root, route, pool.Item(name));
}
