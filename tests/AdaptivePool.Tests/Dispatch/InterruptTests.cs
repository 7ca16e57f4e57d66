using AdaptivePool.Dispatch;
using AdaptivePool.Internal;

namespace AdaptivePool.Tests.Dispatch;

/// <summary>Thread.Interrupt of a worker: what comes while no item runs ends nobody and hits no item, however they sleep.</summary>
public sealed class InterruptTests : PoolTest
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Interrupt_OwnThreadAtTheEndOfAnItem_NextItemsRun(bool isPortable)
    {
        AdaptiveThreadPool pool = Create(isPortable);
        for (int i = 0; i < 20; i++)
        {
            Eventually.End(pool.Run(static () => Thread.CurrentThread.Interrupt()));
            Eventually.Be(pool, static s => s.Idle == s.Existing, "the worker parks");
            Eventually.End(pool.Run(static () => Thread.Sleep(1)), "it was meant for an item that has ended");
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Interrupt_ParkedWorker_NextItemsRun(bool isPortable)
    {
        AdaptiveThreadPool pool = Create(isPortable);
        for (int i = 0; i < 20; i++)
        {
            Thread worker = Eventually.Result(pool.Run(static () => Thread.CurrentThread));
            Eventually.Be(pool, static s => s.Idle == s.Existing, "the worker parks");
            worker.Interrupt();
            Eventually.End(pool.Run(static () => Thread.Sleep(1)), "it came while no item ran");
        }
    }

    [Fact]
    public void Interrupt_AnItemThatWaits_EndsItsWait()
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        using var started = new ManualResetEventSlim();
        using var never = new ManualResetEventSlim();
        Thread? worker = null;
        Task item = pool.Run(() =>
        {
            worker = Thread.CurrentThread;
            started.Set();
            never.Wait();
        });
        Eventually.Set(started, "the item must start");
        worker!.Interrupt();
        Eventually.Complete(item);
        item.Exception!.InnerException.ShouldBeOfType<ThreadInterruptedException>();
        Eventually.End(pool.Run(static () => Thread.Sleep(1)));
    }

    // Under a lock of the pool things are done that must not be left out.
    [Fact]
    public void Hold_InterruptedWhileAnotherHolds_IsHeldAllTheSameAndTheInterruptStays()
    {
        var gate = new SyncLock<RealSync>();
        bool held = false;
        bool isPending = false;
        Thread thread;
        using (gate.Hold())
        {
            thread = new Thread(() =>
            {
                using (gate.Hold())
                {
                    held = true;
                }

                try
                {
                    Thread.Sleep(1);
                }
                catch (ThreadInterruptedException)
                {
                    isPending = true;
                }
            });
            thread.Start();
            Eventually.Be(() => thread.ThreadState.HasFlag(ThreadState.WaitSleepJoin), "the other waits");
            thread.Interrupt();
            thread.Join(20).ShouldBeFalse();
            held.ShouldBeFalse();
        }

        thread.Join(Eventually.Patience).ShouldBeTrue();
        held.ShouldBeTrue();
        isPending.ShouldBeTrue();
    }

    private AdaptiveThreadPool Create(bool isPortable)
    {
        var options = new AdaptivePoolOptions { Name = "interrupt", MinThreads = 1, MaxThreads = 1 };
        return isPortable ? CreatePool(options, new EventParkingSource()) : CreatePool(options);
    }
}
