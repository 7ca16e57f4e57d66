using System.Collections.Concurrent;

namespace AdaptivePool.Tests;

/// <summary>The calls of the runtime's pool, on a pool and on a class. What they do is compared with <see cref="ThreadPool"/> where it can be asked.</summary>
public sealed class UserWorkItemTests : PoolTest
{
    private delegate bool QueueCallback(WaitCallback callBack, object? state);

    private delegate bool QueueAction(Action<int> callBack, int state, bool preferLocal);

    [Fact]
    public void UnsafeQueueUserWorkItem_WithAPriority_WaitsByIt()
    {
        // Nothing goes first because it has waited.
        WorkClass target = CreatePool(new AdaptivePoolOptions { MinThreads = 1, MaxThreads = 1, PriorityKickUp = Timeout.InfiniteTimeSpan }).GetClass("target");
        ConcurrentQueue<string> ran = new();
        CallbackItem low = new(() => ran.Enqueue("low")), normal = new(() => ran.Enqueue("normal")), high = new(() => ran.Enqueue("high"));
        using (new WorkerGate(target.Pool.Factory, 1))
        {
            target.UnsafeQueueRootWork(low, WorkPriority.Low);
            target.UnsafeQueueRootWork(normal);
            target.UnsafeQueueRootWork(high, WorkPriority.High);
        }

        Eventually.Be(() => ran.Count == 3, "all of them run");
        ran.ShouldBe(["high", "normal", "low"]);
        Should.Throw<ArgumentOutOfRangeException>(() => target.UnsafeQueueRootWork(low, (WorkPriority)7)).Message.ShouldContain("High");
        Should.Throw<ArgumentNullException>(() => target.UnsafeQueueRootWork(null!, WorkPriority.High));
        ran.Count.ShouldBe(3);
    }

    [Fact]
    public void QueueUserWorkItem_OnPoolAndClass_RunsThereWithItsStateAndTheCallersContext()
    {
        AdaptiveThreadPool pool = CreatePool();
        var flow = new AsyncLocal<string> { Value = "of the caller" };
        foreach (WorkClass target in new[] { pool.DefaultClass, pool.GetClass("named") })
        {
            QueueCallback[] flowing = target.IsDefault ? [pool.QueueUserWorkItem, ThreadPool.QueueUserWorkItem] : [target.QueueUserWorkItem];
            QueueCallback[] bare = target.IsDefault ? [pool.UnsafeQueueUserWorkItem, ThreadPool.UnsafeQueueUserWorkItem] : [target.UnsafeQueueUserWorkItem];
            foreach (QueueCallback queue in flowing)
            {
                Run(queue, flow).ShouldBe(("state", "of the caller"));
            }

            foreach (QueueCallback queue in bare)
            {
                Run(queue, flow).ShouldBe(("state", null));
            }
        }
    }

    [Fact]
    public void QueueUserWorkItem_Typed_RunsOnTheTargetUnderItsContext()
    {
        AdaptiveThreadPool pool = CreatePool();
        WorkClass named = pool.GetClass("named");
        QueueAction[] calls = [pool.QueueUserWorkItem, pool.UnsafeQueueUserWorkItem, named.QueueUserWorkItem, named.UnsafeQueueUserWorkItem];
        foreach (QueueAction queue in calls)
        {
            foreach (bool preferLocal in new[] { false, true })
            {
                WorkClass target = ReferenceEquals(queue.Target, named) ? named : pool.DefaultClass;
                var done = new TaskCompletionSource<(int State, SynchronizationContext? Context)>(TaskCreationOptions.RunContinuationsAsynchronously);
                queue(state => done.SetResult((state, SynchronizationContext.Current)), 7, preferLocal).ShouldBeTrue();
                Eventually.Result(done.Task).ShouldBe((7, target.SynchronizationContext));
            }
        }
    }

    [Fact]
    public void QueueUserWorkItem_FromAnItemOfTheClass_ContinuesIt_NewestFirstWhenLocal()
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        WorkClass named = pool.GetClass("named");
        foreach (WorkClass target in new[] { pool.DefaultClass, named })
        {
            var order = new ConcurrentQueue<string>();
            using var ended = new CountdownEvent(4);
            void Note(string what)
            {
                order.Enqueue(what + (ReferenceEquals(SynchronizationContext.Current, target.SynchronizationContext) ? "" : " elsewhere"));
                ended.Signal();
            }

            target.QueueUserWorkItem(_ =>
            {
                target.UnsafeQueueUserWorkItem(Note, "local 1", preferLocal: true);
                target.UnsafeQueueUserWorkItem(Note, "local 2", preferLocal: true);
                target.UnsafeQueueUserWorkItem(Note, "fair 1", preferLocal: false);
                target.UnsafeQueueUserWorkItem(Note, "fair 2", preferLocal: false);
            });
            Eventually.Zero(ended, "all four run");
            order.Where(static it => it.StartsWith("local", StringComparison.Ordinal)).ShouldBe(["local 2", "local 1"]);
            order.Where(static it => it.StartsWith("fair", StringComparison.Ordinal)).ShouldBe(["fair 1", "fair 2"]);
        }
    }

    [Fact]
    public void QueueUserWorkItem_CallbackThrows_IsToldAndThePoolLives()
    {
        AdaptiveThreadPool pool = CreatePool();
        var told = new TaskCompletionSource<Exception>(TaskCreationOptions.RunContinuationsAsynchronously);
        pool.Faulted += (_, fault) => told.TrySetResult(fault);
        pool.QueueUserWorkItem(static _ => throw new InvalidOperationException("callback"));
        Eventually.Result(told.Task).Message.ShouldBe("callback");
        Eventually.Result(pool.Run(static () => 1)).ShouldBe(1);
    }

    [Fact]
    public void QueueUserWorkItem_NullOrDisposed_IsRefused()
    {
        AdaptiveThreadPool pool = CreatePool();
        Should.Throw<ArgumentNullException>(() => pool.QueueUserWorkItem(null!));
        Should.Throw<ArgumentNullException>(() => pool.QueueUserWorkItem<int>(null!, 1, preferLocal: false));
        Should.Throw<ArgumentNullException>(() => pool.UnsafeQueueUserWorkItem((WaitCallback)null!, null));
        Should.Throw<ArgumentNullException>(() => pool.DefaultClass.UnsafeQueueUserWorkItem<int>(null!, 1, preferLocal: true));
        Should.Throw<ArgumentNullException>(() => pool.Run((Func<ValueTask>)null!));
        Should.Throw<ArgumentNullException>(() => pool.DefaultClass.Run((Func<ValueTask<int>>)null!));
        pool.Dispose();
        Should.Throw<ObjectDisposedException>(() => pool.QueueUserWorkItem(static _ => { }));
        Should.Throw<ObjectDisposedException>(() => pool.GetClass("named").UnsafeQueueUserWorkItem(static _ => { }, 1, preferLocal: true));
    }

    [Fact]
    public void Run_FunctionsWithValueTasks_ComeBackToThePoolAndEndLikeTheirs()
    {
        AdaptiveThreadPool pool = CreatePool();
        WorkClass named = pool.GetClass("named");
        Eventually.End(pool.Run(() => Works(named: false)));
        Eventually.End(named.Run(() => Works(named: true)));
        Eventually.Result(pool.Run(() => Answers())).ShouldBe(42);
        Eventually.Result(named.Run(Answers, WorkPriority.High)).ShouldBe(42);
        Task failed = pool.Run(Fails);
        Eventually.Complete(failed);
        failed.Exception!.InnerException.ShouldBeOfType<InvalidOperationException>();
        using var cancelled = new CancellationTokenSource();
        cancelled.Cancel();
        Task never = pool.Run(Fails, cancellationToken: cancelled.Token);
        Eventually.Complete(never);
        never.IsCanceled.ShouldBeTrue();

        // An asynchronous lambda stays what it was: its task is not wrapped in another one.
        Eventually.Result(pool.Run(async () =>
        {
            await Task.Yield();
            return 5;
        })).ShouldBe(5);

        async ValueTask Works(bool named)
        {
            WorkClass target = named ? pool.GetClass("named") : pool.DefaultClass;
            SynchronizationContext.Current.ShouldBeSameAs(target.SynchronizationContext);
            await Task.Yield();
            Thread.CurrentThread.IsThreadPoolThread.ShouldBeFalse();
            SynchronizationContext.Current.ShouldBeSameAs(target.SynchronizationContext);
        }

        static async ValueTask<int> Answers()
        {
            await Task.Yield();
            return 42;
        }

        static async ValueTask Fails()
        {
            await Task.Yield();
            throw new InvalidOperationException("value task");
        }
    }

    private static (object? State, string? Flow) Run(QueueCallback queue, AsyncLocal<string> flow)
    {
        var done = new TaskCompletionSource<(object?, string?)>(TaskCreationOptions.RunContinuationsAsynchronously);
        queue(state => done.SetResult((state, flow.Value)), "state").ShouldBeTrue();
        return Eventually.Result(done.Task);
    }
}
