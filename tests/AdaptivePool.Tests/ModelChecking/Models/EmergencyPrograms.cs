using AdaptivePool.Dispatch;

namespace AdaptivePool.Tests.ModelChecking.Models;

/// <summary>Threads lent past the maximum and the limits while all others are stuck, and taken back.</summary>
internal static class EmergencyPrograms
{
    public static NamedProgram[] All { get; } =
    [
        new("emergency: a lent worker ends the deadlock", EndsTheDeadlock, Bounds.Whole),
        new("emergency: lent and taken back at once", TakenBackAtOnce, Bounds.Whole),
    ];

    // The only worker waits for what no limit and no maximum lets anybody run. A worker that was idle when the monitor lent is lent as well; the monitor's next
    // look wakes it.
    private static ModelProgram EndsTheDeadlock()
    {
        var pool = new ModelPool(workers: 1, limit: 1, inFlightLimit: 1);
        var parking = new WordParking<ModelSync>();
        pool.AddStarter();
        pool.QueueRoot("a", () => pool.Wait(parking.Park));
        pool.QueueRoot("b", parking.Unpark);
        return new ModelProgram(
            [
                () =>
                {
                    pool.Set.Lend(1);
                    VirtualThread.AwaitRest();
                    pool.Set.WakeLent();
                },
            ],
            () =>
            {
                pool.RequireDone("a", "b");
                ModelFailureException.Require(pool.Set.Existing == 2, "nobody was lent");
            },
            pool.Dismiss);
    }

    private static ModelProgram TakenBackAtOnce()
    {
        var pool = new ModelPool(workers: 1, limit: 1, inFlightLimit: 1);
        pool.AddStarter();
        return new ModelProgram(
            [
                () =>
                {
                    pool.Set.Lend(1);
                    pool.Set.Lend(0);
                },
            ],
            () =>
            {
                pool.RequireDone();
                foreach (Worker<ModelSync>? worker in pool.Set.Workers)
                {
                    ModelFailureException.Require(worker is null or { IsLent: false, IsEmergency: false }, "a worker is lent after the end of the emergency");
                }

                ModelFailureException.Require(pool.Set.MissingThreads() == 0, "a thread is missing after the end of the emergency");
            },
            pool.Dismiss);
    }
}
