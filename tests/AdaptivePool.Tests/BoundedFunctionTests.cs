namespace AdaptivePool.Tests;

/// <summary>Items of a bounded class that the worker runs which waits for them.</summary>
public sealed class BoundedFunctionTests : PoolTest
{
    /// <summary>What the waiting worker runs itself leaves its place in the queue, which no worker passes while this one is the only one.</summary>
    [Theory]
    [InlineData(WorkPriority.Normal)]
    [InlineData(WorkPriority.High)]
    [InlineData(WorkPriority.Low)]
    public void MaxQueued_WaiterRunsEachItemItself_NothingIsRefused(WorkPriority priority)
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        WorkClass bounded = pool.GetClass("bounded");
        bounded.MaxQueued = 2;
        int ran = 0;
        Task loop = pool.Run(() =>
        {
            for (int i = 0; i < 100; i++)
            {
                bounded.Run(() => ran++, priority).Wait();
            }
        });
        Eventually.End(loop);
        ran.ShouldBe(100);
        ExpectTheBoundAsItWas(pool, bounded);
    }

    /// <summary>What is cancelled while it runs on the waiter has left the queue as well, and its entry is counted off once.</summary>
    [Fact]
    public void MaxQueued_WaiterRunsItemsThatEndAsCancelled_TheBoundIsWhatItWas()
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        WorkClass bounded = pool.GetClass("bounded");
        bounded.MaxQueued = 2;
        Task loop = pool.Run(() =>
        {
            for (int i = 0; i < 100; i++)
            {
                using var cancel = new CancellationTokenSource();
                Task item = bounded.Run(
                    () =>
                    {
                        cancel.Cancel();
                        cancel.Token.ThrowIfCancellationRequested();
                    },
                    WorkPriority.Normal,
                    cancel.Token);
                Should.Throw<AggregateException>(item.Wait);
                item.IsCanceled.ShouldBeTrue();
            }
        });
        Eventually.End(loop);
        ExpectTheBoundAsItWas(pool, bounded);
    }

    /// <summary>Each item waits behind one that has not run.</summary>
    [Fact]
    public void MaxQueued_WaiterRunsItemsBehindOneThatWaits_OnlyThatOneCounts()
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        WorkClass bounded = pool.GetClass("bounded");
        bounded.MaxQueued = 2;
        Task first = Eventually.Result(pool.Run(() =>
        {
            Task first = bounded.Run(() => { });
            for (int i = 0; i < 100; i++)
            {
                bounded.Run(() => { }).Wait();
            }

            return new Tuple<Task>(first);
        })).Item1;
        Eventually.End(first);
        ExpectTheBoundAsItWas(pool, bounded);
    }

    /// <summary>As the task of any other class: whoever keeps it keeps its result, and nothing that its function needed.</summary>
    [Fact]
    public void Run_TaskThatHasEnded_KeepsNothingOfItsFunction()
    {
        WorkClass bounded = CreatePool().GetClass("bounded");
        bounded.MaxQueued = 2;
        (WeakReference captured, Task task) = Run(bounded);
        Eventually.End(task);
        Eventually.Be(
            () =>
            {
                // What runs next writes over what a worker remembers of its last task.
                Eventually.End(bounded.Run(static () => { }));
                GC.Collect();
                return !captured.IsAlive;
            },
            "the task does not keep it");
        GC.KeepAlive(task);

        [System.Runtime.CompilerServices.MethodImpl(System.Runtime.CompilerServices.MethodImplOptions.NoInlining)]
        static (WeakReference Captured, Task Task) Run(WorkClass bounded)
        {
            object captured = new();
            return (new(captured), bounded.Run(() => GC.KeepAlive(captured)));
        }
    }

    /// <summary>Nothing was refused so far, and nothing was counted twice, or not counted off.</summary>
    private static void ExpectTheBoundAsItWas(AdaptiveThreadPool pool, WorkClass bounded)
    {
        bounded.GetSnapshot().Refused.ShouldBe(0);
        Eventually.Be(() => bounded.GetSnapshot().Queued == 0, "what stands in the queue is passed");
        Task[] waiting;
        using (new WorkerGate(pool.Factory, 1))
        {
            waiting = [.. Enumerable.Range(0, 5).Select(_ => bounded.Run(() => { }))];
        }

        waiting.Count(static it => it.IsFaulted).ShouldBe(3);
    }
}
