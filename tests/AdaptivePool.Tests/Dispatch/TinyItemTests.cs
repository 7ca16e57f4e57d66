using AdaptivePool.Control;
using AdaptivePool.Dispatch;

namespace AdaptivePool.Tests.Dispatch;

/// <summary>Tiny items are left to few workers; what else is queued must not be.</summary>
public sealed class TinyItemTests : PoolTest
{
    private static readonly TimeSpan s_long = TimeSpan.FromMicroseconds(50);

    [Fact]
    public void TinyItems_FollowedByLongOnes_AreNotLeftToFewWorkers()
    {
        // Without the safety net nobody but the workers themselves can notice.
        AdaptiveThreadPool pool = CreatePool(
            new AdaptivePoolOptions { Sizing = PoolSizing.Fixed(2) },
            new PoolSurroundings { HasSafetyNet = false, Budget = Budget });
        ClassCore core = pool.DefaultClass.Core;
        Eventually.Be(() => BecomesTiny(pool, core), "items that do nothing are tiny");

        using var open = new ManualResetEventSlim();
        using var ended = new CountdownEvent(2);
        pool.UnsafeQueueUserWorkItem(new CallbackItem(() => SpinWait.SpinUntil(() => open.IsSet)), preferLocal: false);
        // Of items that were tiny one in 64 is timed.
        for (int i = 0; i < 200; i++)
        {
            pool.UnsafeQueueUserWorkItem(new CallbackItem(static () => Compute(s_long)), preferLocal: false);
        }

        // Each needs the other one to run beside it.
        int running = 0;
        for (int i = 0; i < 2; i++)
        {
            pool.UnsafeQueueUserWorkItem(
                new CallbackItem(() =>
                {
                    Interlocked.Increment(ref running);
                    SpinWait.SpinUntil(() => Volatile.Read(ref running) == 2, Eventually.Patience).ShouldBeTrue();
                    ended.Signal();
                }),
                preferLocal: false);
        }

        open.Set();
        Eventually.Zero(ended, "both run");
    }

    private static bool BecomesTiny(AdaptiveThreadPool pool, ClassCore core)
    {
        const int Items = 5_000;
        using var done = new CountdownEvent(Items);
        var item = new CallbackItem(() => done.Signal());
        for (int i = 0; i < Items; i++)
        {
            pool.UnsafeQueueUserWorkItem(item, preferLocal: false);
        }

        Eventually.Zero(done, "tiny items end");
        return WakeThresholdRule.IsTiny(core.WakeThreshold);
    }

    private static void Compute(TimeSpan time)
    {
        long start = System.Diagnostics.Stopwatch.GetTimestamp();
        while (System.Diagnostics.Stopwatch.GetElapsedTime(start) < time)
        {
        }
    }
}
