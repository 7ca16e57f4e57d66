using AdaptivePool.Control;
using AdaptivePool.Dispatch;
using AdaptivePool.Sizing;

namespace AdaptivePool.Tests.Sizing;

public sealed class SizingLoopTests : PoolTest
{
    [Fact]
    public void Close_LastCallThrows_EndsAllTheSameAndIsAFault()
    {
        var surroundings = new PoolSurroundings { Budget = new CpuBudget() };
        Exception? fault = null;
        var set = new WorkerSet("closing", 4, 0, 1, surroundings.Threads, exception => fault = exception);
        var starter = new StarterLoop(set, "closing", surroundings.Threads);
        var end = new PoolEnd(set, static () => throw new InvalidOperationException("injected"));
        var loop = new SizingLoop(set, new AdaptivePoolOptions(), starter, static _ => new FixedController(1), static _ => { }, static _ => { }, surroundings,
            end);
        Eventually.End(loop.Close(), "whoever disposes the pool waits for this");
        fault.ShouldBeOfType<InvalidOperationException>();
        set.Faulted.ShouldBe(1);

        // After the end: nobody listens, and nobody is told off.
        loop.Request(new SizeRequest(1, 2));
    }

    /// <summary>Each look looks at the memory when the last time is long enough ago, so that looks can be counted from outside.</summary>
    [Fact]
    public void Look_NothingWaitsOrRuns_IsTheLast()
    {
        int looks = 0;
        double CountLook() => Interlocked.Increment(ref looks) * 0.0;

        var options = new AdaptivePoolOptions { MinThreads = 1, MaxThreads = 1, Sizing = PoolSizing.Fixed(1) };
        AdaptiveThreadPool pool = CreatePool(options, new PoolSurroundings { Budget = Budget, RuntimePool = null, HeapShare = CountLook });
        Eventually.End(pool.Run(static () => { }));
        Eventually.Be(() => Volatile.Read(ref looks) > 0, "it looks when there is work");
        using var pause = new ManualResetEventSlim();

        // It may be in the middle of its last look: what counts is that it comes to rest.
        Eventually.Be(
            () =>
            {
                int before = Volatile.Read(ref looks);
                bool sleeps = true;
                for (int i = 0; i < 60 && sleeps; i++)
                {
                    pause.Wait(TimeSpan.FromMilliseconds(10));
                    sleeps = pool.Sizing.IsAsleep;
                }

                return sleeps && Volatile.Read(ref looks) == before;
            },
            "the sizing thread sleeps for good");
        int atRest = Volatile.Read(ref looks);
        pool.Resize(1, 2);
        Eventually.Be(() => Volatile.Read(ref looks) > atRest, "a wish wakes it");
    }
}
