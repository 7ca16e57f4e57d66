using AdaptivePool.Control;
using AdaptivePool.Dispatch;
using AdaptivePool.Sensing;

namespace AdaptivePool.Tests;

/// <summary>Base of tests that use pools: what is created here is disposed with the test, drains, and ends without a single rescue (rule R2).</summary>
public abstract class PoolTest : IDisposable
{
    // Tests run beside each other, and of two pools of one name that live at once a meter tells the second by another one.
    private static int s_named;

    private readonly List<AdaptiveThreadPool> _pools = [];

    // All guests are looked at from here on. Tests of those that are not, and lend the runtime's pool threads, have a process of their own.
    static PoolTest() => AdaptiveThreadPool.CurrentBlockingAction = null;

    /// <summary>The pools of this test share the cores with each other alone.</summary>
    private protected CpuBudget Budget { get; } = new();

    protected AdaptiveThreadPool CreatePool(AdaptivePoolOptions? options = null)
    {
        // Pools of other tests that run meanwhile must not take part in sharing the cores.
        var pool = new AdaptiveThreadPool(options ?? new AdaptivePoolOptions(), new PoolSurroundings { Budget = Budget, RuntimePool = null });
        _pools.Add(pool);
        return pool;
    }

    /// <summary>A pool of exactly one thread: what is queued while it holds an item stays queued.</summary>
    protected AdaptiveThreadPool CreateSingleThreadPool() =>
        CreatePool(new AdaptivePoolOptions { Name = NewName("single"), MinThreads = 1, MaxThreads = 1 });

    /// <summary>A pool whose class limits are always <paramref name="size"/>; in-flight work may still use further threads.</summary>
    protected AdaptiveThreadPool CreateFixedPool(int size) =>
        CreatePool(new AdaptivePoolOptions { Name = NewName("fixed"), Sizing = PoolSizing.Fixed(size) });

    private protected AdaptiveThreadPool CreatePool(AdaptivePoolOptions options, ThreadSource threads) =>
        CreatePool(options, new PoolSurroundings { Threads = threads, Budget = Budget, RuntimePool = null });

    private protected AdaptiveThreadPool CreatePool(AdaptivePoolOptions options, PoolSurroundings surroundings)
    {
        var pool = new AdaptiveThreadPool(options, surroundings);
        _pools.Add(pool);
        return pool;
    }

    private static string NewName(string kind) => $"{kind} {Interlocked.Increment(ref s_named)}";

    public void Dispose()
    {
        foreach (AdaptiveThreadPool pool in _pools)
        {
            Eventually.End(pool.DisposeAsync().AsTask(), "disposing drains accepted work and ends");
            PoolSnapshot end = pool.GetSnapshot();
            end.Rescues.ShouldBe(0, "queued work was found with an idle worker and nobody on the way to wake it");
            end.Queued.ShouldBe(0, "a drained pool has nothing queued");
        }

        GC.SuppressFinalize(this);
    }
}
