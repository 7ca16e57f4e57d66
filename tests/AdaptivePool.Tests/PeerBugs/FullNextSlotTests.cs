using AdaptivePool.Control;
using AdaptivePool.Dispatch.Queues;
using AdaptivePool.Tests.ModelChecking;
using AdaptivePool.Tests.ModelChecking.Models;

namespace AdaptivePool.Tests.PeerBugs;

/// <summary>
/// Our own prototype lost a chain of awaits for good: a worker with an item in its slot for the newest one had run too many of those in a row, saw its ring not
/// empty, and a thief emptied the ring before it took from there. It got nothing and went to sleep with the full slot. The invariant since: nothing parks with
/// queued work.
/// </summary>
public sealed class FullNextSlotTests : PeerBugTest
{
    [Fact]
    public void EmptyPopWithoutALookAtTheSlot_LosesAnItem() => RequireFoundAndCured(Next);

    /// <summary>No net: what a worker parks with stays there.</summary>
    [Fact]
    public void OurWorkers_Asleep_HaveNothingQueued()
    {
        AdaptiveThreadPool pool = CreatePool(
            new AdaptivePoolOptions { MaxThreads = 6, Sizing = PoolSizing.Fixed(3) },
            new PoolSurroundings { Budget = Budget, HasSafetyNet = false });
        for (int round = 0; round < 40; round++)
        {
            const int chains = 8, links = 60;
            using var left = new CountdownEvent(chains);
            for (int chain = 0; chain < chains; chain++)
            {
                int rest = links;
                CallbackItem? item = null;
                item = new CallbackItem(() =>
                {
                    if (--rest == 0)
                    {
                        left.Signal();
                    }
                    else
                    {
                        pool.UnsafeQueueUserWorkItem(item!, preferLocal: rest % 4 != 0);
                    }
                });
                pool.UnsafeQueueUserWorkItem(item, preferLocal: false);
            }

            Eventually.Zero(left, "each chain must end");
        }

        Eventually.Be(pool, static s => s.Idle == s.Existing && s.Queued == 0, "workers asleep have nothing queued");
    }

    private static ModelProgram Next(bool isRight)
    {
        var ring = new WorkStealingQueue<ModelSync>(2);
        ring.Push("in the ring");
        object? next = "in the slot";
        var ledger = new Ledger();
        void Work()
        {
            // The slot had its turns; the ring is not empty.
            object? item = null;
            if (ring.IsEmpty)
            {
                (item, next) = (next, null);
            }
            else
            {
                item = ring.TryPopOldest();
                if (item is null && isRight)
                {
                    (item, next) = (next, null);
                }
            }

            while (item is not null)
            {
                ledger.Note(0, item);
                (item, next) = (next, null);
            }
        }

        return new ModelProgram([Work, () => ledger.Note(1, ring.TrySteal())], () => ledger.RequireAll(["in the ring", "in the slot"], []));
    }
}
