using AdaptivePool.Dispatch;
using AdaptivePool.Housekeeping;
using AdaptivePool.Internal;
using AdaptivePool.Tests.Internal;

namespace AdaptivePool.Tests.ModelChecking.Models;

/// <summary>
/// The sizing thread sleeps for good while nothing waits; whoever leaves work that no worker may take tells it. A program plays its policies: a limit that is
/// too small is raised, a lone item behind one that runs on may be taken.
/// </summary>
internal static class SizingPrograms
{
    public static NamedProgram[] All { get; } =
    [
        new("sizing: the last slot is taken while another item is queued", static () => LastSlot(queuedByItem: false), Bounds.Whole),
        new("sizing: work is queued while there is no room", static () => LastSlot(queuedByItem: true), Bounds.Whole),
        new("sizing: work in flight, and no slot for it", InFlight, Bounds.Whole),
        new("sizing: the last slot of work in flight is taken while another item is queued", LastSlotInFlight, Bounds.Whole),

        // Told without a fence: where that is missed, the quiet look finds the item. So each read sees the newest write here.
        new("sizing: a lone item behind one that runs on", LoneItem, Bounds.Crowded) { IsSequential = true },
        new("sizing: the end while the thread falls asleep", End, Bounds.Long),
    ];

    // The first item waits for the second where no hook sees it; there is one slot.
    private static ModelProgram LastSlot(bool queuedByItem)
    {
        var pool = new ModelPool(workers: 2, limit: 1, inFlightLimit: 1);
        var parking = new WordParking<ModelSync>();
        void QueueSecond() => pool.QueueRoot("b", parking.Unpark);
        return new ModelProgram(
            [
                Sizing(pool, () => pool.Root.Limit.Value == 2, () => pool.Resize(2)),
                () =>
                {
                    pool.QueueRoot("a", () =>
                    {
                        if (queuedByItem)
                        {
                            QueueSecond();
                        }

                        parking.Park();
                    });
                    if (!queuedByItem)
                    {
                        QueueSecond();
                    }
                },
            ],
            () => pool.RequireDone("a", "b"),
            pool.Dismiss)
        {
            OnRest = static () => { },
        };
    }

    private static ModelProgram InFlight()
    {
        var pool = new ModelPool(workers: 2, limit: 1, inFlightLimit: 1);
        var parking = new WordParking<ModelSync>();
        return new ModelProgram(
            [
                Sizing(pool, () => pool.Set.InFlight.Limit.Value == 2, () => pool.Resize(pool.Set.InFlight, 2)),
                () => pool.QueueInFlight("a", () =>
                {
                    pool.PushLocal("c");
                    pool.QueueInFlight("b", parking.Unpark);
                    parking.Park();
                }),
            ],
            () => pool.RequireDone("a", "b", "c"),
            pool.Dismiss)
        {
            OnRest = static () => { },
        };
    }

    private static ModelProgram LastSlotInFlight()
    {
        var pool = new ModelPool(workers: 2, limit: 1, inFlightLimit: 1);
        var parking = new WordParking<ModelSync>();
        return new ModelProgram(
            [
                Sizing(pool, () => pool.Set.InFlight.Limit.Value == 2, () => pool.Resize(pool.Set.InFlight, 2)),
                () =>
                {
                    pool.QueueInFlight("a", parking.Park);
                    pool.QueueInFlight("b", parking.Unpark);
                },
            ],
            () => pool.RequireDone("a", "b"),
            pool.Dismiss)
        {
            OnRest = static () => { },
        };
    }

    // Short items so far: no thief may take the lone item, and nobody was woken for it.
    private static ModelProgram LoneItem()
    {
        var pool = new ModelPool(workers: 2, limit: 1, inFlightLimit: 2);
        var parking = new WordParking<ModelSync>();
        var housekeeper = new Housekeeper<ModelSync>(pool.Set, TimeSpan.FromHours(1), TimeSpan.FromHours(1), hasSafetyNet: true);
        bool isFreed = false;
        pool.WarmUp(2);
        return new ModelProgram(
            [
                Sizing(
                    pool,
                    () => isFreed,
                    () =>
                    {
                        isFreed = true;
                        housekeeper.OfferHeldUp(ValueLists.Of(
                            pool.Set.Workers.OfType<Worker<ModelSync>>().Select(static w => new RunningItem<ModelSync>(w, TurnRule.OthersAfterSeconds))));
                    }),
                () => pool.QueueRoot("a", () =>
                {
                    pool.PushLocal(pool.Item("b", parking.Unpark), fair: false);
                    parking.Park();
                }),
            ],
            () => pool.RequireDone("a", "b"),
            pool.Dismiss)
        {
            OnRest = static () => { },
        };
    }

    // Nobody is dismissed: a thread that sleeps on is a failure.
    private static ModelProgram End()
    {
        var doze = new Doze<ModelSync>(static () => false);
        return new ModelProgram(
            [
                () =>
                {
                    while (!doze.IsEnding)
                    {
                        doze.Pause(TimeSpan.FromSeconds(1));
                        doze.Sleep();
                    }
                },
                doze.WakeUp,
                doze.End,
            ],
            static () => { });
    }

    // It is asleep before work comes. Its next look, where it is awake, comes when the others have done what they can.
    private static Action Sizing(ModelPool pool, Func<bool> isDone, Action act)
    {
        var doze = new Doze<ModelSync>(() => pool.Set.QueuedCount() > 0);
        pool.Set.OnHeldUp = doze.WakeUp;
        return () =>
        {
            while (!isDone())
            {
                doze.Sleep();
                VirtualThread.AwaitRest();
                if (pool.Set.QueuedCount() > 0)
                {
                    act();
                }
            }
        };
    }
}
