namespace AdaptivePool.Tests.Dispatch;

public sealed class PoolEndTests : PoolTest
{
    /// <summary>The workers were told to end because nothing was left: what begins later is for the runtime's pool, and nobody waits for it here.</summary>
    [Fact]
    public void TryFinish_SomethingBeginsAfterTheWorkersWereTold_DoesNotWaitForIt()
    {
        var set = new WorkerSet("end", maxThreads: 2, stackSize: 0, startLimit: 1, ThreadSource.System, static _ => { });
        var end = new PoolEnd(set, static () => { });
        end.BeginOutstanding();
        end.Close(static () => { });
        TryFinish().ShouldBeFalse("something is outstanding");
        TryFinish().ShouldBeFalse();
        set.Stopped.ShouldBeFalse();
        end.EndOutstanding();
        bool isOver = false;
        Eventually.Be(() => (isOver = TryFinish()) || set.Stopped, "nothing is left");

        end.BeginOutstanding();

        Eventually.Be(() => isOver || TryFinish(), "there is no worker to wait for");

        bool TryFinish() => end.TryFinish(isTimeOver: false, static () => { });
    }

    /// <summary>Once the pool counted as stopped although the stop had thrown, and what it had not handed over yet stayed in the queues for good.</summary>
    [Fact]
    public void TryFinish_NoMemoryToHandAnItemOver_GoesOnWithAllThatIsLeft()
    {
        int calls = 0;
        int handedOver = 0;
        bool isOver = false;
        var set = new WorkerSet("full", maxThreads: 2, stackSize: 0, startLimit: 1, ThreadSource.System, static _ => { })
        {
            Fallback = _ => handedOver += ++calls is 2 or 5 ? throw new OutOfMemoryException() : 1,
        };
        var core = new ClassCore("class", startLimit: 1, isInFlight: false);
        set.AddClass(core);
        for (int i = 0; i < 3; i++)
        {
            set.QueueRoot(core, "item", RootPlace.Normal);
            set.QueueInFlight("item");
        }

        var end = new PoolEnd(set, () => isOver = true);
        end.Close(static () => { });
        Should.Throw<OutOfMemoryException>(() => TryFinish());
        Should.Throw<OutOfMemoryException>(() => TryFinish());
        isOver.ShouldBeFalse();
        TryFinish().ShouldBeTrue();
        handedOver.ShouldBe(6);
        set.QueuedCount().ShouldBe(0);

        bool TryFinish() => end.TryFinish(isTimeOver: true, static () => { });
    }

    /// <summary>The runtime's pool throws, too, where it has queued the item and the system refuses it a thread: the item was handed over again.</summary>
    [Fact]
    public void Stop_ItemIsQueuedThoughThatThrows_RunsOnce()
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        using var open = new ManualResetEventSlim();
        using var held = new ManualResetEventSlim();
        pool.UnsafeQueueUserWorkItem(new CallbackItem(() => { held.Set(); open.Wait(); }), preferLocal: false);
        Eventually.Set(held, "its one thread is held");
        int[] runs = new int[3];
        for (int i = 0; i < runs.Length; i++)
        {
            int item = i;
            pool.UnsafeQueueUserWorkItem(new CallbackItem(() => runs[item]++), preferLocal: false);
        }

        int refused = 0;
        pool.Set.Fallback = item =>
        {
            item.Execute();
            if (refused++ < 2)
            {
                throw new OutOfMemoryException();
            }
        };
        Should.Throw<OutOfMemoryException>(pool.Set.Stop);
        Should.Throw<OutOfMemoryException>(pool.Set.Stop);
        pool.Set.Stop();
        runs.ShouldBe([1, 1, 1]);
        open.Set();
    }
}
