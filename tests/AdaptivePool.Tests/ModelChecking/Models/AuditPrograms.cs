using AdaptivePool.Dispatch;
using AdaptivePool.Housekeeping;

namespace AdaptivePool.Tests.ModelChecking.Models;

/// <summary>
/// The audit looks while somebody is on the way, wherever that is put aside: it helps, and takes no wake for lost. Where a wake is lost, it finds it.
/// </summary>
internal static class AuditPrograms
{
    public static NamedProgram[] All { get; } =
    [
        new("audit: a root item is queued", static () => Queue(static pool => pool.QueueRoot("a"), "a"), Bounds.Whole),
        new("audit: an item in flight is queued", static () => Queue(static pool => pool.QueueInFlight("a"), "a"), Bounds.Whole),
        new("audit: an item queues another one, and waits", Waiting, Bounds.Crowded),
        new(
            "audit: two workers find work one after the other",
            static () => Queue(static pool => pool.QueueRoot("a", () => pool.QueueRoot("b")), "a", "b"),
            Bounds.Whole),
        new("audit: a thread that is no worker carries the token", Watched, Bounds.Whole),
        new("audit: a wake is lost", Lost, Bounds.Whole),
        new("audit: whoever sees an item sees who is on the way to it", OnTheWay, Bounds.Longest),
    ];

    private static ModelProgram Queue(Action<ModelPool> queue, params string[] items)
    {
        var pool = new ModelPool(workers: 2, limit: 2, inFlightLimit: 2);
        return Program(pool, () => queue(pool), rescues: 0, items);
    }

    // What waits was its own item.
    private static ModelProgram Waiting()
    {
        var pool = new ModelPool(workers: 2, limit: 2, inFlightLimit: 1);
        var parking = new WordParking<ModelSync>();
        return Program(
            pool,
            () => pool.QueueInFlight("a", () =>
            {
                pool.PushLocal(pool.Item("b", parking.Unpark), fair: false);
                pool.Wait(parking.Park);
            }),
            rescues: 0,
            ["a", "b"]);
    }

    // As the monitor does while a deadlock holds. Who queues relies on the token meanwhile.
    private static ModelProgram Watched()
    {
        var pool = new ModelPool(workers: 1, limit: 1, inFlightLimit: 1);
        return Program(pool, () => pool.QueueRoot("a"), rescues: 0, ["a"], pool.Set.WakeLent);
    }

    private static ModelProgram Lost()
    {
        var pool = new ModelPool(workers: 2, limit: 2, inFlightLimit: 2);
        return Program(pool, () => pool.Set.EnqueueInFlight(pool.Item("a")), rescues: 1, ["a"]);
    }

    // One look, not two: nobody passes the task on to another worker here.
    private static ModelProgram OnTheWay()
    {
        var pool = new ModelPool(workers: 1, limit: 1, inFlightLimit: 1);
        var parking = new WordParking<ModelSync>();
        Worker<ModelSync> worker = pool.Set.WorkerOf(0)!;
        return new ModelProgram(
            [
                () => pool.QueueRoot("a", parking.Park),
                () =>
                {
                    if (pool.Set.HasEligibleWorkAnywhere())
                    {
                        ModelFailureException.Require(pool.Set.IsOwed || worker.IsOnTheWay || (worker.Sequence & 1) != 0,
                            "an item is seen, and not who is on the way to it");
                    }
                },
            ],
            static () => { },
            () =>
            {
                parking.Unpark();
                pool.Dismiss();
            })
        {
            OnRest = static () => { },
        };
    }

    // The workers sleep at first. The audit looks when it likes, and in the end when nobody else can go on.
    private static ModelProgram Program(ModelPool pool, Action act, int rescues, string[] items, params Action[] others)
    {
        var audit = new WakeAudit<ModelSync>(pool.Set);
        void Look(int from)
        {
            for (int i = from; i < from + 3; i++)
            {
                audit.Look(i);
            }
        }

        return new ModelProgram(
            [
                act,
                () =>
                {
                    Look(0);
                    VirtualThread.AwaitRest();
                    Look(3);
                },
                .. others,
            ],
            () =>
            {
                pool.RequireDone(items);
                ModelFailureException.Require(audit.Rescues == rescues, $"{audit.Rescues} rescues instead of {rescues}, {audit.LateWakes} late wakes");
            },
            pool.Dismiss)
        {
            OnRest = static () => { },
        };
    }
}
