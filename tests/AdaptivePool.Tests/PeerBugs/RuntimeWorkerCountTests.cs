using System.Collections.Concurrent;
using AdaptivePool.Dispatch;
using AdaptivePool.Tests.ModelChecking;
using AdaptivePool.Tests.ModelChecking.Models;

namespace AdaptivePool.Tests.PeerBugs;

/// <summary>
/// A pool of .NET 8 stood still for 28 hours: its counts said that one worker was working, but the worker slept, so nobody was woken for new work and the gate saw nothing wrong. https://github.com/dotnet/runtime/issues/128879.
/// The core: the count and the sleep are two steps, and whoever queues work trusts the count.
/// </summary>
public sealed class RuntimeWorkerCountTests : PeerBugTest
{
    [Fact]
    public void WorkerThatSleepsWhileItCounts_LosesAnItem() => RequireFoundAndCured(Counted);

    /// <summary>A slot is our count of working threads. It is given back before the worker lies down, with a look at the queue after it.</summary>
    [Fact]
    public void OurWorkers_OneSlot_NeverSleepWithIt() => RequireRight("wake: slot given up");

    [Fact]
    public void OurPool_Asleep_HoldsNoSlotAndNoWork()
    {
        AdaptiveThreadPool pool = CreatePool();
        for (int round = 0; round < 50; round++)
        {
            using var left = new CountdownEvent(20);
            for (int i = 0; i < 20; i++)
            {
                pool.UnsafeQueueUserWorkItem(new CallbackItem(() => left.Signal()), preferLocal: false);
            }

            Eventually.Zero(left, "each item must run");
        }

        Eventually.Be(pool, s => s.Idle == s.Existing && s.Classes.All(c => c.Active == 0) && s.Queued == 0, "a pool asleep counts nobody as working");
    }

    private static ModelProgram Counted(bool isRight)
    {
        ConcurrentQueue<object> queue = new();
        Cell working = new(1);
        var parking = new WordParking<ModelSync>();
        var ledger = new Ledger();
        bool ends = false;
        void Work()
        {
            while (!ends)
            {
                while (ModelSync.TryDequeue(queue, out object? item, string.Empty, 1))
                {
                    ledger.Note(0, item);
                }

                if (isRight)
                {
                    // Out of the count first, then one more look.
                    ModelSync.Exchange(ref working.Value, 0, string.Empty, 2);
                    if (!ModelSync.IsEmpty(queue, string.Empty, 3) && ModelSync.CompareExchange(ref working.Value, 1, 0, string.Empty, 4) == 0)
                    {
                        continue;
                    }

                    parking.Park();
                }
                else
                {
                    ModelSync.Exchange(ref working.Value, 0, string.Empty, 5);
                    parking.Park();
                }
            }
        }

        void Queue(string item)
        {
            ModelSync.Enqueue(queue, item, string.Empty, 6);
            ModelSync.Fence(string.Empty, 8);
            if (ModelSync.CompareExchange(ref working.Value, 1, 0, string.Empty, 7) == 0)
            {
                parking.Unpark();
            }
        }

        return new ModelProgram(
            [Work, () => Queue("a")],
            () => ledger.RequireAll(["a"], []),
            () =>
            {
                ends = true;
                parking.Unpark();
            });
    }
}
