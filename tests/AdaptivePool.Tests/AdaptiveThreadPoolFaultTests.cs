using System.Collections.Concurrent;

namespace AdaptivePool.Tests;

/// <summary>Exceptions and other bad behaviour of user code: each ends where somebody sees it, none kills a worker (rule R8).</summary>
public sealed class AdaptiveThreadPoolFaultTests : PoolTest
{
    [Fact]
    public void Faulted_WorkItemThrows_IsRaisedWithTheException()
    {
        AdaptiveThreadPool pool = CreatePool();
        var seen = new ConcurrentQueue<(object? Sender, Exception Exception)>();
        pool.Faulted += (sender, fault) => seen.Enqueue((sender, fault));
        pool.UnsafeQueueUserWorkItem(new CallbackItem(() => throw new InvalidOperationException("item")), preferLocal: false);
        Eventually.Be(() => !seen.IsEmpty, "the exception of a work item is told");
        (object? sender, Exception exception) = seen.Single();
        sender.ShouldBeSameAs(pool);
        exception.ShouldBeOfType<InvalidOperationException>().Message.ShouldBe("item");
    }

    [Fact]
    public void Faulted_HandlerThrows_LeavesTheWorkerAlive()
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        pool.Faulted += (_, _) => throw new InvalidOperationException("handler");
        for (int i = 0; i < 10; i++)
        {
            pool.UnsafeQueueUserWorkItem(new CallbackItem(() => throw new InvalidOperationException("item")), preferLocal: false);
        }

        Eventually.Result(pool.Run(() => 1)).ShouldBe(1);
        Eventually.Be(pool, s => s is { ThreadsCreated: 1, Faulted: >= 10 }, "the one worker has lived through all of it");
    }

    [Fact]
    public void Faulted_AsynchronousHandlerThrows_IsNotToldOfItself()
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        int told = 0;
        using var thrown = new ManualResetEventSlim();
        pool.Faulted += async (_, _) =>
        {
            Interlocked.Increment(ref told);
            await Task.Yield();
            thrown.Set();
            throw new InvalidOperationException("handler");
        };
        pool.UnsafeQueueUserWorkItem(new CallbackItem(() => throw new InvalidOperationException("item")), preferLocal: false);
        Eventually.Set(thrown, "the handler goes on after its await");

        // On one thread these run after what the handler has thrown was posted.
        for (int i = 0; i < 40; i++)
        {
            Eventually.Result(pool.Run(() => 1)).ShouldBe(1);
        }

        told.ShouldBe(1);
        pool.GetSnapshot().Faulted.ShouldBe(1);
    }

    [Fact]
    public void Faulted_TaskThrows_IsNotRaised()
    {
        AdaptiveThreadPool pool = CreatePool();
        int told = 0;
        pool.Faulted += (_, _) => Interlocked.Increment(ref told);
        Task task = pool.Run(() => throw new InvalidOperationException("task"));
        Eventually.Complete(task);
        Eventually.End(pool.Run(() => { }));
        told.ShouldBe(0);
        pool.GetSnapshot().Faulted.ShouldBe(0);
        task.Exception.ShouldNotBeNull();
    }

    [Fact]
    public void Post_AsyncVoidThrows_IsCountedAndKillsNoWorker()
    {
        AdaptiveThreadPool pool = CreatePool();
        pool.SynchronizationContext.Post(
            async _ =>
            {
                await Task.Yield();
                throw new InvalidOperationException("async void");
            },
            null);
        Eventually.Be(pool, s => s.Faulted == 1, "nobody else sees the exception of an async void method");
        Eventually.Result(pool.Run(() => 1)).ShouldBe(1);
    }

    [Fact]
    public void Faulted_PostedAfterTheEnd_IsRaisedAsBefore()
    {
        // On the runtime's pool, where the exception would end the process.
        AdaptiveThreadPool pool = CreatePool();
        var handedOver = new ConcurrentQueue<IThreadPoolWorkItem>();
        pool.Set.Fallback = handedOver.Enqueue;
        var seen = new ConcurrentQueue<string>();
        pool.Faulted += (_, fault) => seen.Enqueue(fault.Message);
        pool.Dispose();
        pool.SynchronizationContext.Post(static _ => throw new InvalidOperationException("posted"), null);
        Void(pool.SynchronizationContext, new InvalidOperationException("async void"));
        while (handedOver.TryDequeue(out IThreadPoolWorkItem? item))
        {
            item.Execute();
        }

        SynchronizationContext.SetSynchronizationContext(null);
        seen.ShouldBe(["posted", "async void"]);

        static void Void(SynchronizationContext context, Exception exception)
        {
            SynchronizationContext.SetSynchronizationContext(context);
            Throw(exception);
            SynchronizationContext.SetSynchronizationContext(null);
        }

        static async void Throw(Exception exception)
        {
            await Task.Yield();
            throw exception;
        }
    }

    [Theory]
    [InlineData("posted")]
    [InlineData("async void in Run")]
    [InlineData("async void in Run of an asynchronous function")]
    [InlineData("async void in StartNew")]
    [InlineData("async void before its first await")]
    [InlineData("async void after ConfigureAwait(false)")]
    public void Faulted_ExceptionThatNoTaskHolds_IsRaisedOnce(string how)
    {
        AdaptiveThreadPool pool = CreatePool();
        var seen = new ConcurrentQueue<string>();
        pool.Faulted += (_, fault) => seen.Enqueue(fault.Message);
        switch (how)
        {
            case "posted":
                pool.SynchronizationContext.Post(_ => throw new InvalidOperationException(how), null);
                break;
            case "async void in Run":
                Eventually.End(pool.Run(() => Throw(how)));
                break;
            case "async void in StartNew":
                Eventually.End(pool.Factory.StartNew(() => Throw(how)));
                break;
            default:
                Eventually.End(pool.Run(() =>
                {
                    Throw(how);
                    return Task.CompletedTask;
                }));
                break;
        }

        Eventually.Be(() => !seen.IsEmpty, "the exception is told");
        Eventually.Result(pool.Run(() => 1)).ShouldBe(1);
        seen.ShouldBe([how]);
        pool.GetSnapshot().Faulted.ShouldBe(1);

        static async void Throw(string how)
        {
            if (how.EndsWith("(false)", StringComparison.Ordinal))
            {
                await Task.Delay(1).ConfigureAwait(false);
            }
            else if (!how.Contains("before", StringComparison.Ordinal))
            {
                await Task.Yield();
            }

            throw new InvalidOperationException(how);
        }
    }

    [Fact]
    public void Run_AsyncFunctionReturnsNull_FaultsTheTask()
    {
        Task task = CreatePool().Run(() => (Task)null!);
        Eventually.Complete(task);
        task.Exception!.InnerException.ShouldBeOfType<InvalidOperationException>();
    }

    [Fact]
    public void Run_AsyncFunctionThrowsBeforeItsFirstAwait_FaultsTheTask()
    {
        Task task = CreatePool().Run(Throw);
        Eventually.Complete(task);
        task.Exception!.InnerException!.Message.ShouldBe("at once");

        static Task Throw() => throw new InvalidOperationException("at once");
    }

    [Fact]
    public void Run_AsyncFunctionThrowsSeveral_KeepsThemAll()
    {
        Task task = CreatePool().Run(() => Task.WhenAll(Fail("a"), Fail("b")));
        Eventually.Complete(task);
        task.Exception!.InnerExceptions.Select(e => e.Message).ShouldBe(["a", "b"], ignoreOrder: true);

        static async Task Fail(string message)
        {
            await Task.Yield();
            throw new InvalidOperationException(message);
        }
    }

    [Fact]
    public void Run_AsyncFunctionCancelled_IsCanceled()
    {
        using var cancellation = new CancellationTokenSource();
        Task task = CreatePool().Run(async () =>
        {
            await Task.Yield();
            cancellation.Cancel();
            cancellation.Token.ThrowIfCancellationRequested();
        }, WorkPriority.Normal, cancellation.Token);
        Eventually.Complete(task);
        task.Status.ShouldBe(TaskStatus.Canceled);
    }

    [Fact]
    public void Run_AsyncFunctionCancelledWhileQueued_NeverStarts()
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        using var cancellation = new CancellationTokenSource();
        bool started = false;
        Task queued;
        using (var gate = new WorkerGate(pool.Factory, 1))
        {
            queued = pool.Run(() =>
            {
                started = true;
                return Task.CompletedTask;
            }, WorkPriority.Normal, cancellation.Token);
            cancellation.Cancel();
            Eventually.Complete(queued, "a cancelled item must not wait for its turn");
        }

        queued.Status.ShouldBe(TaskStatus.Canceled);
        Eventually.End(pool.Run(() => { }));
        started.ShouldBeFalse();
    }

    [Fact]
    public void Run_TokenAlreadyCancelled_IsCanceledInEveryOverload()
    {
        AdaptiveThreadPool pool = CreatePool();
        var token = new CancellationToken(canceled: true);
        Task[] tasks =
        [
            pool.Run(() => { }, WorkPriority.Normal, token),
            pool.Run(() => 1, WorkPriority.Normal, token),
            pool.Run(() => Task.CompletedTask, WorkPriority.Normal, token),
            pool.Run(() => Task.FromResult(1), WorkPriority.Normal, token),
        ];
        Array.ForEach(tasks, t => Eventually.Complete(t));
        tasks.ShouldAllBe(t => t.Status == TaskStatus.Canceled);
    }

    [Fact]
    public void UnsafeQueueUserWorkItem_Task_IsRefused()
    {
        AdaptiveThreadPool pool = CreatePool();
        Task state = Suspended();
        if (state is IThreadPoolWorkItem item)
        {
            Should.Throw<ArgumentException>(() => pool.UnsafeQueueUserWorkItem(item, preferLocal: false));
        }

        static async Task Suspended() => await Task.Delay(1);
    }

    [Fact]
    public void Item_ThatAbusesItsThread_HurtsNoOther()
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        var foreign = new SynchronizationContext();
        pool.UnsafeQueueUserWorkItem(new CallbackItem(() =>
        {
            SynchronizationContext.SetSynchronizationContext(foreign);
            _ = ExecutionContext.SuppressFlow();
            Thread.CurrentThread.Name = "spoilt";
            Thread.CurrentThread.Priority = ThreadPriority.Lowest;
            throw new InvalidOperationException();
        }), preferLocal: false);

        (bool suppressed, string? name, ThreadPriority priority, SynchronizationContext? context) = Eventually.Result(pool.Run(() =>
            (ExecutionContext.IsFlowSuppressed(), Thread.CurrentThread.Name, Thread.CurrentThread.Priority, SynchronizationContext.Current)));
        suppressed.ShouldBeFalse();
        name.ShouldNotBe("spoilt");
        priority.ShouldBe(ThreadPriority.Normal);
        context.ShouldNotBe(foreign);
    }

    [Fact]
    public void Send_FromOutside_RunsOnThePoolAndWaits()
    {
        AdaptiveThreadPool pool = CreatePool();
        AdaptiveThreadPool? current = null;
        pool.SynchronizationContext.Send(_ => current = AdaptiveThreadPool.Current, null);
        current.ShouldBeSameAs(pool);
        Should.Throw<InvalidOperationException>(()
            => pool.SynchronizationContext.Send(_ => throw new InvalidOperationException("sent"), null)).Message.ShouldBe("sent");
    }
}
