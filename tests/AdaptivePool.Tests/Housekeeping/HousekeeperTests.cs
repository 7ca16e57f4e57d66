using AdaptivePool.Housekeeping;
using AdaptivePool.Internal;

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

    private PoolSurroundings Surroundings() => new() { Budget = Budget, RuntimePool = null };
}
