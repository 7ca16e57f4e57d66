using AdaptivePool.Control;
using AdaptivePool.Sensing;

namespace AdaptivePool.Stress.Rounds;

/// <summary>Pools for rounds.</summary>
internal static class StressPool
{
    /// <summary>Slots of each class without a net: their number does not change then, so that no raised limit wakes anybody by chance.</summary>
    private const int Slots = 3;

    /// <summary>Creates a pool.</summary>
    /// <param name="hasNet">Whether it finds its size and watches itself as pools do; otherwise nothing but the wake protocol finds queued work.</param>
    /// <param name="maxThreads">Most threads.</param>
    public static AdaptiveThreadPool Create(bool hasNet, int maxThreads) => new(
        new AdaptivePoolOptions
        {
            Name = "stress",
            MinThreads = 1,
            MaxThreads = maxThreads,
            IdleTimeout = TimeSpan.FromMilliseconds(200),
            Sizing = hasNet ? PoolSizing.Adaptive : PoolSizing.Fixed(Slots),
        },
        new PoolSurroundings { HasSafetyNet = hasNet, Budget = new CpuBudget() });
}
