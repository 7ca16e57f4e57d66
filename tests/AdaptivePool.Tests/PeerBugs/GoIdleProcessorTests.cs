using AdaptivePool.Control;
using AdaptivePool.Dispatch;
using AdaptivePool.Tests.ModelChecking;

namespace AdaptivePool.Tests.PeerBugs;

/// <summary>
/// Go lost work conservation by an optimisation: a thread that stopped searching did not look again, so a processor stayed idle beside a runnable goroutine
/// until something else happened. Found only by a test of parallelism. https://github.com/golang/go/issues/45867.
/// </summary>
public sealed class GoIdleProcessorTests : PeerBugTest
{
    [Fact]
    public void SearcherThatEndsWithoutAnotherLook_LeavesAnItem() => RequireFoundAndCured(EndOfSearch);

    [Fact]
    public void OurSearcher_WithoutTheFenceBeforeItsLook_IsFound()
        => RequireFoundInOurs("wake: useless wake", "LieDown", OperationKind.Fence, Weakening.Removed);

    /// <summary>The test that found it: as many items as slots, each waits for all others by computing, and all were queued by one worker.</summary>
    [Theory]
    [InlineData(2)]
    [InlineData(4)]
    public void ItemsQueuedByOneWorker_WaitForEachOtherByComputing_AllRunAtOnce(int items)
    {
        AdaptiveThreadPool pool = CreatePool(
            new AdaptivePoolOptions { MaxThreads = items + 2, Sizing = PoolSizing.Fixed(items) },
            new PoolSurroundings { Budget = Budget });
        for (int round = 0; round < 30; round++)
        {
            int running = 0;
            using var left = new CountdownEvent(items);
            var item = new CallbackItem(() =>
            {
                Interlocked.Increment(ref running);
                while (Volatile.Read(ref running) < items)
                {
                    Thread.Yield();
                }

                left.Signal();
            });
            pool.UnsafeQueueUserWorkItem(new CallbackItem(() =>
            {
                for (int i = 0; i < items; i++)
                {
                    pool.UnsafeQueueUserWorkItem(item, preferLocal: i % 2 == 0);
                }
            }), preferLocal: false);
            Eventually.Zero(left, "items that wait for each other must all run at once");
        }
    }

    private static ModelProgram EndOfSearch(bool isRight)
    {
        Cell work = new(), searching = new(1), idle = new();
        var parking = new WordParking<ModelSync>();
        void Search()
        {
            if (isRight)
            {
                ModelSync.Exchange(ref idle.Value, 1, string.Empty, 1);
                ModelSync.Exchange(ref searching.Value, 0, string.Empty, 2);
                if (ModelSync.VolatileRead(ref work.Value, string.Empty, 3) == 0)
                {
                    parking.Park();
                }
            }
            else if (ModelSync.VolatileRead(ref work.Value, string.Empty, 4) == 0)
            {
                ModelSync.Exchange(ref idle.Value, 1, string.Empty, 5);
                ModelSync.Exchange(ref searching.Value, 0, string.Empty, 6);
                parking.Park();
            }
        }

        void Queue()
        {
            ModelSync.Exchange(ref work.Value, 1, string.Empty, 7);

            // A searcher is relied on.
            if (ModelSync.VolatileRead(ref searching.Value, string.Empty, 8) == 0 && ModelSync.VolatileRead(ref idle.Value, string.Empty, 9) == 1)
            {
                parking.Unpark();
            }
        }

        return new ModelProgram([Search, Queue], static () => { });
    }
}
