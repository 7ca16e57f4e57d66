using AdaptivePool.Dispatch;
using AdaptivePool.Housekeeping;
using AdaptivePool.Internal;
using AdaptivePool.Tests.Dispatch;
using AdaptivePool.Tests.Internal;

namespace AdaptivePool.Tests.Housekeeping;

public sealed class HousekeeperTests : PoolTest
{
    private static readonly TimeSpan s_idleTimeout = TimeSpan.FromSeconds(4);

    [Fact]
    public void UntilRetirement_IsAStep_WhereAThreadMayEnd()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { Sizing = PoolSizing.Fixed(1) }, Surroundings());
        Eventually.End(pool.Run(static () => { }));
        Housekeeper<RealSync> housekeeper = new(pool.Set, s_idleTimeout, TimeSpan.FromSeconds(1), hasSafetyNet: true);
        housekeeper.LookAtThreads(5, int.MaxValue);
        housekeeper.UntilRetirement(5, minThreads: 0).ShouldBe(s_idleTimeout / 4);
        housekeeper.UntilRetirement(5, minThreads: int.MaxValue).ShouldBe(Timeout.InfiniteTimeSpan);
    }

    [Fact]
    public void LookAt_LocalWork_CountsAsWorkInFlight()
    {
        var set = new WorkerSet("waiting", maxThreads: 2, stackSize: 0, startLimit: 1, new ThreadsThatNeverBegin(), static _ => { });
        var root = new ClassCore("root", 1, isInFlight: false);
        set.AddClass(root);
        set.TryStartWorker().ShouldBeTrue();
        set.WorkerOf(0).ShouldNotBeNull().Local.Push("item");
        set.WorkerOf(0)!.Local.Push("item");
        set.EnqueueInFlight("item");
        set.QueueRoot(root, "item", RootPlace.Normal);

        var housekeeper = new Housekeeper<RealSync>(set, TimeSpan.FromHours(1), TimeSpan.FromHours(1), hasSafetyNet: true);
        housekeeper.LookAt(set.InFlight);
        housekeeper.LookAt(root);

        set.InFlight.Queue.Ages.Waiting.ShouldBe(3);
        root.Queue.Ages.Waiting.ShouldBe(1);
    }

    [Fact]
    public void OfferHeldUp_ItemRunsOnBeforeItsLocalWork_LetsOthersTakeIt()
    {
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { Sizing = PoolSizing.Fixed(1) }, Surroundings());
        using var taken = new ManualResetEventSlim();
        using var open = new ManualResetEventSlim();
        Task item = pool.Run(() =>
        {
            pool.UnsafeQueueUserWorkItem(new CallbackItem(taken.Set), preferLocal: true);
            SpinWait.SpinUntil(() => open.IsSet);
        });
        try
        {
            Eventually.Set(taken, "it is taken while the item runs on");
        }
        finally
        {
            open.Set();
        }

        Eventually.End(item);
    }

    /// <summary>A worker that the system has put aside looks like one whose item runs on: who has work of its own leaves it alone for a while.</summary>
    [Fact]
    public void OfferHeldUp_OnlyForAMoment_IsNotForThoseWithWorkOfTheirOwn()
    {
        var set = new WorkerSet("held up", maxThreads: 2, stackSize: 0, startLimit: 1, new ThreadsThatNeverBegin(), static _ => { });
        set.TryStartWorker().ShouldBeTrue();
        Worker worker = set.WorkerOf(0).ShouldNotBeNull();
        Housekeeper<RealSync> housekeeper = new(set, s_idleTimeout, TimeSpan.FromSeconds(1), hasSafetyNet: true);
        housekeeper.OfferHeldUp(ValueLists.Of(new RunningItem<RealSync>(worker, 2 * TurnRule.OthersAfterSeconds)));
        (worker.MayLoseLoneItem, set.HasHeldUp).ShouldBe((false, false), "nothing waits behind its item");

        worker.Local.Push("item");
        housekeeper.OfferHeldUp(ValueLists.Of(new RunningItem<RealSync>(worker, TurnRule.OthersAfterSeconds / 2)));
        (worker.MayLoseLoneItem, set.HasHeldUp).ShouldBe((true, false));
        housekeeper.OfferHeldUp(ValueLists.Of(new RunningItem<RealSync>(worker, TurnRule.OthersAfterSeconds)));
        set.HasHeldUp.ShouldBeTrue();
        housekeeper.OfferHeldUp(new());
        set.HasHeldUp.ShouldBeFalse();
    }

    private PoolSurroundings Surroundings() => new() { Budget = Budget, RuntimePool = null };
}
