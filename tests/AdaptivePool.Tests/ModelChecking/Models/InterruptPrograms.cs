using AdaptivePool.Dispatch;
using AdaptivePool.Tests.Dispatch;

namespace AdaptivePool.Tests.ModelChecking.Models;

/// <summary>
/// Thread.Interrupt of a thread of the pool: what comes while it is parked hits no item, and whenever it comes nothing is lost. Workers have the first numbers
/// among the threads.
/// </summary>
internal static class InterruptPrograms
{
    public static NamedProgram[] All { get; } =
    [
        new("interrupt: a worker sleeps on a futex", static () => Asleep(ThreadSource<ModelSync>.System), Bounds.Longest),
        new("interrupt: a worker sleeps at an event", static () => Asleep(new PortableThreadSource<ModelSync>()), Bounds.Longest),
        new("interrupt: a worker goes to sleep on a futex", static () => GoingToSleep(ThreadSource<ModelSync>.System), Bounds.Whole),
        new("interrupt: a worker goes to sleep at an event", static () => GoingToSleep(new PortableThreadSource<ModelSync>()), Bounds.Whole),
        new("interrupt: a sleeper on a futex is woken", static () => Woken(new WordParking<ModelSync>()), Bounds.Default),
        new("interrupt: a sleeper at an event is woken", static () => Woken(new WordParking<ModelSync>(byFutex: false)), Bounds.Default),
    ];

    // The item is queued when the interrupt is over.
    private static ModelProgram Asleep(ThreadSource<ModelSync> threads)
    {
        var pool = new ModelPool(workers: 1, limit: 1, inFlightLimit: 1, threads: threads);
        return new ModelProgram(
            [
                () =>
                {
                    VirtualThread.Interrupt(0);
                    pool.QueueRoot(
                        "a",
                        static () => ModelFailureException.Require(!VirtualThread.Current!.IsInterrupted,
                            "an interrupt that came while no item ran hits the next one"));
                },
            ],
            () => pool.RequireDone("a"),
            pool.Dismiss)
        {
            OnRest = static () => { },
        };
    }

    // At any moment: before it parks, while it is parked, when it is woken, while an item runs.
    private static ModelProgram GoingToSleep(ThreadSource<ModelSync> threads)
    {
        var pool = new ModelPool(workers: 1, limit: 1, inFlightLimit: 1, threads: threads);
        return new ModelProgram(
            [() => pool.QueueRoot("a", () => pool.PushLocal("b")), static () => VirtualThread.Interrupt(0)],
            () => pool.RequireDone("a", "b"),
            pool.Dismiss);
    }

    private static ModelProgram Woken(Parking parking)
    {
        Cell data = new();
        int seen = 0;
        return new ModelProgram(
            [
                () =>
                {
                    parking.Park();
                    seen = ModelSync.Read(ref data.Value, string.Empty, 1);
                },
                () =>
                {
                    ModelSync.Write(ref data.Value, 1, string.Empty, 2);
                    parking.Unpark();
                },
                static () => VirtualThread.Interrupt(0),
            ],
            () => ModelFailureException.Require(seen == 1, "woken by nobody, or without what the waker wrote"));
    }
}
