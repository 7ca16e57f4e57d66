using System.Collections.Concurrent;
using System.Reflection;
using AdaptivePool.Internal;

namespace AdaptivePool.Tests.Internal;

public sealed class RealSyncTests
{
    /// <summary>
    /// Items that fit into the first segment of the runtime's queue: the next one needs a new segment, and for that the queue's lock.
    /// </summary>
    private const int FirstSegment = 32;

    /// <summary>
    /// A worker that spills has taken the item out of its own queue already; what is not in the shared one then is lost. The caller's next wait gets the
    /// interrupt.
    /// </summary>
    [Fact]
    public void Enqueue_InterruptedAtTheLockOfTheQueue_ItemIsInsideAndTheInterruptStays()
    {
        ConcurrentQueue<object> queue = new(Enumerable.Range(0, FirstSegment).Cast<object>());
        object queuesLock = typeof(ConcurrentQueue<object>).GetField("_crossSegmentLock", BindingFlags.Instance | BindingFlags.NonPublic)!.GetValue(queue)!;
        bool isPending = false;
        Thread thread;
        lock (queuesLock)
        {
            thread = new Thread(() =>
            {
                try
                {
                    Enqueue<RealSync>(queue, "item");
                }
                catch (ThreadInterruptedException)
                {
                    // The item is lost: the test finds nothing in the queue.
                    return;
                }

                try
                {
                    Thread.CurrentThread.Join(TimeSpan.FromMilliseconds(1));
                }
                catch (ThreadInterruptedException)
                {
                    isPending = true;
                }
            });
            thread.Start();
            Eventually.Be(() => thread.ThreadState.HasFlag(ThreadState.WaitSleepJoin), "it must wait for the lock of the queue");
            for (int i = 0; i < 2; i++)
            {
                // Again, while it waits to begin again.
                thread.Interrupt();
                thread.Join(20).ShouldBeFalse("it must go on waiting");
            }

            queue.ShouldNotContain("item");
        }

        thread.Join(Eventually.Patience).ShouldBeTrue();
        queue.Last().ShouldBe("item");
        isPending.ShouldBeTrue();
    }

    /// <summary>What follows the end of a registration is the answer to a caller, the run of an item, the end of a permit.</summary>
    [Fact]
    public void Unregister_InterruptedAtTheLockOfTheSource_HasEndedItAndTheInterruptStays()
    {
        using var source = new HeldSource();
        bool isCalled = false;
        CancellationTokenRegistration registration = source.Token.Register(() => isCalled = true);
        source.Hold();
        bool isPending = false;
        var thread = new Thread(() =>
        {
            try
            {
                RealSync.Unregister(registration);
            }
            catch (ThreadInterruptedException)
            {
                // The interrupt is taken, and pending no more.
            }

            try
            {
                Thread.CurrentThread.Join(TimeSpan.FromMilliseconds(1));
            }
            catch (ThreadInterruptedException)
            {
                isPending = true;
            }
        });
        thread.Start();
        HeldSource.InterruptAtTheLock(() => thread);
        source.LetGo();
        thread.Join(Eventually.Patience).ShouldBeTrue();
        isPending.ShouldBeTrue();
        source.Cancel();
        isCalled.ShouldBeFalse();
    }

    // Names of call sites are the interface's own defaults.
    private static void Enqueue<TSync>(ConcurrentQueue<object> queue, object item)
        where TSync : struct, ISync => TSync.Enqueue(queue, item);
}
