using AdaptivePool.Dispatch.Items;
using AdaptivePool.Tests.Internal;

namespace AdaptivePool.Tests.Dispatch.Items;

/// <summary>Run of an asynchronous function ends as Task.Run of it does: with the same status, the same exception object and the same token.</summary>
public sealed class AsyncItemTests : PoolTest
{
    public static TheoryData<string, bool> Ends
    {
        get
        {
            var data = new TheoryData<string, bool>();
            foreach (string end in new[] { "own token", "another token", "timeout", "own token at once", "another token at once", "fault", "fault at once",
                "source cancelled", "several faults" })
            {
                data.Add(end, false);
                data.Add(end, true);
            }

            return data;
        }
    }

    [Fact]
    public void Run_FunctionThatGoesOn_CapturesNoFlowForItsEnd()
    {
        // What follows the end of a task is 112 bytes. With a flow to capture it is 72 more.
        const int Functions = 512;
        AdaptiveThreadPool pool = CreatePool(new AdaptivePoolOptions { MinThreads = 1, MaxThreads = 1 });
        var goesOn = new TaskCompletionSource();
        double least = double.PositiveInfinity;
        for (int attempt = 0; attempt < 3; attempt++)
        {
            // The one worker reads its own count before and after the functions, which it takes in their order.
            Task<long> before = pool.Run(GC.GetAllocatedBytesForCurrentThread);
            Task[] functions = [.. Enumerable.Range(0, Functions).Select(_ => pool.Run(() => goesOn.Task))];
            Task<long> after = pool.Run(GC.GetAllocatedBytesForCurrentThread);
            least = Math.Min(least, (Eventually.Result(after) - Eventually.Result(before)) / (double)Functions);
            functions.ShouldAllBe(static f => !f.IsCompleted);
        }

        goesOn.SetResult();
        least.ShouldBeInRange(1, 144);
    }

    /// <summary>The worker has taken the item, and nothing else knows of it.</summary>
    [Fact]
    public void Run_WorkerIsInterruptedAtTheLockOfTheToken_FunctionRunsAllTheSame()
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        using var source = new HeldSource();
        using var open = new ManualResetEventSlim();
        Thread? worker = null;
        Task first = pool.Run(() =>
        {
            open.Wait();
            Volatile.Write(ref worker, Thread.CurrentThread);
        });
        Task<int> second = pool.Run(() => Task.FromResult(2), cancellationToken: source.Token);
        source.Hold();
        open.Set();
        Eventually.End(first);
        HeldSource.InterruptAtTheLock(() => Volatile.Read(ref worker));
        source.LetGo();
        Eventually.Result(second).ShouldBe(2);
    }

    [Fact]
    public void Item_OfAFunction_IsItsCallersTaskAndOneObjectOfEightWords()
    {
        WorkClass owner = CreatePool().DefaultClass;
        Func<Task<int>> function = static () => Task.FromResult(1);
        object? item = null;
        long ofTask = Allocation.Of(() => item = new TaskCompletionSource().Task) - Allocation.Of(() => item = new object());
        long ofResult = Allocation.Of(() => item = new TaskCompletionSource<int>().Task) - Allocation.Of(() => item = new object());

        // The sources weigh as much as an object with one field, which is the least that there is: so these are the tasks alone.
        long ofAction = Allocation.Of(() => item = new AsyncActionItem(owner, function, CancellationToken.None));
        long ofFunction = Allocation.Of(() => item = new AsyncFunctionItem<int>(owner, function, CancellationToken.None));

        item.ShouldNotBeNull();
        ofAction.ShouldBeLessThanOrEqualTo(ofTask + (8 * IntPtr.Size));
        ofFunction.ShouldBeLessThanOrEqualTo(ofResult + (8 * IntPtr.Size));
    }

    /// <summary>The entry in the queue stays until its turn, which is never where its class stands still.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Run_CancelledWhileItWaits_KeepsNothingOfItsCaller(bool withResult)
    {
        AdaptiveThreadPool pool = CreateSingleThreadPool();
        using (new WorkerGate(pool.Factory, 1))
        {
            (WeakReference[] kept, Task task) = RunAndCancel(pool, withResult);
            task.IsCanceled.ShouldBeTrue();
            GC.Collect();
            kept.Select(static it => it.IsAlive).ShouldAllBe(static isAlive => !isAlive);
            pool.GetSnapshot().Queued.ShouldBe(1);
        }
    }

    [System.Runtime.CompilerServices.MethodImpl(System.Runtime.CompilerServices.MethodImplOptions.NoInlining)]
    private static (WeakReference[] Kept, Task Task) RunAndCancel(AdaptiveThreadPool pool, bool withResult)
    {
        (object captured, object flowing) = (new(), new());
        using var source = new CancellationTokenSource();
        var flow = new AsyncLocal<object?> { Value = flowing };
        Task task = withResult
            ? pool.Run(() => Task.FromResult(captured), cancellationToken: source.Token)
            : pool.Run(() => Task.FromException(new InvalidOperationException(captured.ToString())), cancellationToken: source.Token);
        flow.Value = null;
        source.Cancel();
        return ([new(captured), new(flowing)], task);
    }

    [Fact]
    public void Run_FunctionThatReturnsNothing_Faults()
    {
        Task task = CreatePool().Run(static () => (Task)null!);
        Eventually.Complete(task);
        task.Exception!.InnerException.ShouldBeOfType<InvalidOperationException>().Message.ShouldContain("null instead of a task");
    }

    [Theory]
    [MemberData(nameof(Ends))]
    public void Run_AsyncFunctionEnds_AsByTaskRun(string end, bool withResult)
    {
        AdaptiveThreadPool pool = CreatePool();
        using var own = new CancellationTokenSource();
        using var other = new CancellationTokenSource();
        own.Cancel();
        other.Cancel();
        var mine = new CancellationTokenSource();
        Exception thrown = end switch
        {
            "own token" or "own token at once" => new OperationCanceledException("told", new IOException("inner"), mine.Token),
            "another token" or "another token at once" => new OperationCanceledException("told", other.Token),
            "timeout" => new TaskCanceledException("timeout", new TimeoutException("inner"), other.Token),
            _ => new InvalidOperationException("fault"),
        };
        Func<Task<int>> function = end switch
        {
            "source cancelled" => () => Task.FromCanceled<int>(other.Token),
            "several faults" => async () => (await Task.WhenAll(Task.FromException<int>(thrown), Task.FromException<int>(new IOException("second"))))[0],
            _ when end.EndsWith("at once", StringComparison.Ordinal) => () => throw thrown,
            _ => async () =>
            {
                await Task.Yield();
                throw thrown;
            },
        };
        Task control = withResult ? Task.Run(function, mine.Token) : Task.Run((Func<Task>)function, mine.Token);
        Task task = withResult ? pool.Run(function, WorkPriority.Normal, mine.Token) : pool.Run((Func<Task>)function, WorkPriority.Normal, mine.Token);
        Eventually.Complete(control);
        Eventually.Complete(task);
        task.Status.ShouldBe(control.Status);
        Exception expected = Should.Throw<Exception>(() => control.GetAwaiter().GetResult());
        Exception actual = Should.Throw<Exception>(() => task.GetAwaiter().GetResult());
        if (end == "source cancelled")
        {
            actual.ShouldBeOfType<TaskCanceledException>().CancellationToken.ShouldBe(other.Token);
        }
        else
        {
            actual.ShouldBeSameAs(expected);
            actual.ShouldBeSameAs(thrown);
        }

        (task.Exception?.InnerExceptions.Count).ShouldBe(control.Exception?.InnerExceptions.Count);
    }

    [Fact]
    public void Run_AsyncFunctionOfAClassInsideIt_RunsUnderTheClass()
    {
        WorkClass partner = CreatePool().GetClass("partner");
        (SynchronizationContext? outer, SynchronizationContext? inner) = Eventually.Result(partner.Run(async () =>
        {
            SynchronizationContext? outer = SynchronizationContext.Current;
            SynchronizationContext? inner = await partner.Run(() => Task.FromResult(SynchronizationContext.Current));
            return (outer, inner);
        }));
        outer.ShouldBeSameAs(partner.SynchronizationContext);
        inner.ShouldBeSameAs(partner.SynchronizationContext);
    }

    [Fact]
    public void Run_FromAnItemWhileThePoolDrains_IsAcceptedInEveryOverload()
    {
        AdaptiveThreadPool pool = CreatePool();
        using var started = new ManualResetEventSlim();
        using var open = new ManualResetEventSlim();
        Task<int> item = pool.Run(() =>
        {
            started.Set();
            open.Wait();
            Task[] tasks = [pool.Run(() => { }), pool.Run(() => 1), pool.Run(() => Task.CompletedTask), pool.Run(() => Task.FromResult(1))];
            Task.WaitAll(tasks);
            return tasks.Length;
        });
        Eventually.Set(started, "the item must start");
        Task disposal = pool.DisposeAsync().AsTask();
        open.Set();
        Eventually.Result(item).ShouldBe(4);
        Eventually.End(disposal);
    }
}
