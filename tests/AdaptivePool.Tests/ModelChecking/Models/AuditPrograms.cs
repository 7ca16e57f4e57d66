using AdaptivePool.Workers;

namespace AdaptivePool.Tests.ModelChecking.Models;

/// <summary>
/// The audit looks while somebody is on the way, wherever that is put aside: it helps, and takes no wake for lost. Where a wake is lost, it finds it.
/// </summary>
/// <remarks>That a thread owes a wake is told past the shim, and orders nothing here: so each read sees the newest write.</remarks>
internal static class AuditPrograms
{
    public static NamedProgram[] All { get; } =
    [
        Sequential("audit: a root item is queued", Bounds.Longest, static () => Queue(static pool => pool.QueueRoot("a"), "a")),
        Sequential("audit: an item in flight is queued", Bounds.Crowded, static () => Queue(static pool => pool.QueueInFlight("a"), "a")),
        Sequential("audit: an item queues another one, and waits", Bounds.Crowded, Waiting),
        Sequential(
            "audit: two workers find work one after the other",
            Bounds.Crowded,
            static () => Queue(static pool => pool.QueueRoot("a", () => pool.QueueRoot("b")), "a", "b")),
        Sequential("audit: a thread that is no worker carries the token", Bounds.Longest, Watched),
        Sequential("audit: a wake is lost", Bounds.Longest, Lost),
    ];

    private static NamedProgram Sequential(string name, Bounds bounds, Func<ModelProgram> create) => new(name, create, bounds) { IsSequential = true };

    private static ModelProgram Queue(Action<ModelPool> queue, params string[] items)
    {
        var pool = new ModelPool(workers: 2, limit: 2, inFlightLimit: 2);
        return Program(pool, () => queue(pool), rescues: 0, items);
    }

    // What waits was its own item.
    private static ModelProgram Waiting()
    {
        var pool = new ModelPool(workers: 2, limit: 2, inFlightLimit: 1);
        var bed = new FutexParking<ModelSync>();
        return Program(
            pool,
            () => pool.QueueInFlight("a", () =>
            {
                pool.PushLocal(pool.Item("b", bed.Unpark), fair: false);
                pool.Wait(bed.Park);
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
