using System.Diagnostics;
using AdaptivePool.Tests.Faults;
using Shouldly;
using Xunit;

namespace AdaptivePool.Tests.Dispatch;

/// <summary>
/// An item of short ones wakes nobody when it queues a single one. Where items run long that would cost a core: the next holder of an asynchronous lock waited
/// until the one before had done everything else.
/// </summary>
public sealed class LoneItemTests : PoolTest
{
    private const int Attempts = 10;

    /// <summary>A tick of the sizing thread between two snapshots counts as well, once in a thousand; and a worker that is just lying down, on a busy machine
    /// for long, needs no wake.</summary>
    private const int Least = 3;

    private static readonly TimeSpan s_long = TimeSpan.FromMicroseconds(200);

    [Fact]
    public void PushOfALoneItem_WhereItemsRunLong_WakesAWorkerAtOnce()
    {
        AdaptiveThreadPool pool = CreateFixedPool(2);

        int woken = Enumerable.Range(0, Attempts).Count(_ => Eventually.Result(pool.Run(() => WakesForALoneItem(pool))));

        woken.ShouldBeGreaterThanOrEqualTo(Least, "a parked worker starts the lone item while the long one goes on");
    }

    /// <summary>Whoever waits for a task spins first, and gives its core away meanwhile: what it has queued must not lie behind that.</summary>
    [Fact]
    public void PushOfALoneItem_WhereAnItemHasWaited_WakesAWorkerAtOnce()
    {
        AdaptiveThreadPool pool = CreateFixedPool(2);
        for (int i = 0; i < 200; i++)
        {
            // Short ones, so that no worker counts as one of long items.
            Eventually.End(pool.Run(static () => { }));
        }

        int woken = 0;
        for (int i = 0; i < Attempts; i++)
        {
            Eventually.Be(pool, static it => it.Existing > 1 && it.Idle == it.Existing, "all are parked");
            woken += Eventually.Result(pool.Run(() => WakesAfterAWait(pool))) ? 1 : 0;
        }

        woken.ShouldBeGreaterThanOrEqualTo(Least, "a parked worker starts what is queued after a wait");
    }

    [TwoCoresFact]
    public async Task AsynchronousLock_OfLongItems_IsHandedOnWhileTheHolderBeforeGoesOn()
    {
        AdaptiveThreadPool pool = CreateFixedPool(2);
        using var turn = new SemaphoreSlim(1, 1);
        int inside = 0;
        int beside = 0;

        async Task ClientAsync()
        {
            for (int i = 0; i < 50; i++)
            {
                await turn.WaitAsync();
                Volatile.Write(ref inside, 1);
                Burn(s_long);
                Volatile.Write(ref inside, 0);
                turn.Release();
                if (Burn(s_long, until: () => Volatile.Read(ref inside) == 1))
                {
                    Interlocked.Increment(ref beside);
                }

                await Task.Yield();
            }
        }

        await Task.WhenAll(Enumerable.Range(0, 8).Select(_ => pool.Run(ClientAsync))).WaitAsync(Eventually.Patience);

        beside.ShouldBeGreaterThan(0, "somebody held the lock while the holder before was still computing");
    }

    // All items are long, so that each worker counts as one of long items when it gets the next attempt; a fresh one does so anyway.
    private static bool WakesForALoneItem(AdaptiveThreadPool pool)
    {
        Burn(s_long);
        Eventually.Be(pool, static it => it.Idle > 0 && it.Idle == it.Existing - 1, "all others are parked");
        using var ran = new ManualResetEventSlim();
        long before = pool.GetSnapshot().Wakes;
        pool.UnsafeQueueUserWorkItem(
            new CallbackItem(() =>
            {
                Burn(s_long);
                ran.Set();
            }),
            preferLocal: true);
        long after = pool.GetSnapshot().Wakes;
        Eventually.Set(ran, "the lone item runs");
        return after > before;
    }

    // Each in a wait of its own, which comes first: the item before it says nothing.
    private static bool WakesAfterAWait(AdaptiveThreadPool pool)
    {
        using var never = new AutoResetEvent(initialState: false);
        never.WaitOne(1);
        long before = pool.Set.Wakes;
        using var ran = new ManualResetEventSlim();
        pool.UnsafeQueueUserWorkItem(new CallbackItem(ran.Set), preferLocal: true);
        long after = pool.Set.Wakes;
        Eventually.Set(ran, "the lone item runs");
        return after > before;
    }

    /// <summary>Computes for a time, or until something holds.</summary>
    /// <returns>Whether it held.</returns>
    private static bool Burn(TimeSpan time, Func<bool>? until = null)
    {
        long start = Stopwatch.GetTimestamp();
        while (Stopwatch.GetElapsedTime(start) < time)
        {
            if (until?.Invoke() == true)
            {
                return true;
            }
        }

        return false;
    }
}
