namespace AdaptivePool.Tests.Contracts;

public abstract partial class TaskSchedulerContract
{
    [Fact]
    public void RunSynchronously_OnAForeignThread_RunsThereOnlyIfTheSchedulerInlinesAnywhere()
    {
        (int caller, int runner) = OnForeignThread(() =>
        {
            var task = new Task<int>(() => Environment.CurrentManagedThreadId);
            task.RunSynchronously(Scheduler);
            return (Environment.CurrentManagedThreadId, task.Result);
        });

        (runner == caller).ShouldBe(Traits.InlinesOnForeignThreads);
    }

    [Fact]
    public void RunSynchronously_OnAnotherPoolsThread_RunsThereOnlyIfTheSchedulerInlinesAnywhere()
    {
        (int caller, int runner) = Eventually.Result(Task.Run(() =>
        {
            var task = new Task<int>(() => Environment.CurrentManagedThreadId);
            task.RunSynchronously(Scheduler);
            return (Environment.CurrentManagedThreadId, task.Result);
        }));

        (runner == caller).ShouldBe(Traits.InlinesOnForeignThreads);
    }

    [Fact]
    public void RunSynchronously_OnAWorker_RunsOnTheCallerUnderTheScheduler()
    {
        (int caller, int runner, TaskScheduler current) = Eventually.Result(Factory.StartNew(() =>
        {
            var task = new Task<(int, TaskScheduler)>(() => (Environment.CurrentManagedThreadId, TaskScheduler.Current));
            task.RunSynchronously(Scheduler);
            return (Environment.CurrentManagedThreadId, task.Result.Item1, task.Result.Item2);
        }));

        runner.ShouldBe(caller);
        current.ShouldBeSameAs(Scheduler);
    }

    [Fact]
    public void ExecuteSynchronously_AntecedentEndsOnAForeignThread_RunsThereOnlyIfTheSchedulerInlinesAnywhere()
    {
        var antecedent = new TaskCompletionSource();
        Task<(int Thread, bool Worker)> continuation = antecedent.Task.ContinueWith(
            _ => (Environment.CurrentManagedThreadId, IsOnAWorker), CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously, Scheduler);
        int caller = OnForeignThread(() =>
        {
            antecedent.SetResult();
            return Environment.CurrentManagedThreadId;
        });

        (int runner, bool worker) = Eventually.Result(continuation);
        (runner == caller).ShouldBe(Traits.InlinesOnForeignThreads);
        worker.ShouldBe(!Traits.InlinesOnForeignThreads);
    }

    [Fact]
    public void Wait_ForATaskOfAnotherScheduler_Completes()
    {
        int result = Eventually.Result(Task.Run(() => Factory.StartNew(() => Task.Run(() => 7).Result).Result));
        result.ShouldBe(7);
    }

    [Fact]
    public void Wait_RecursiveDivideAndConquer_CompletesOnFewWorkers()
    {
        Eventually.Result(Factory.StartNew(() => Sum(0, 20_000))).ShouldBe(20_000L * 19_999 / 2);

        long Sum(int from, int to)
        {
            if (to - from <= 2)
            {
                return to - from == 2 ? from + from + 1L : from;
            }

            int middle = (from + to) / 2;
            Task<long> left = Factory.StartNew(() => Sum(from, middle));
            Task<long> right = Factory.StartNew(() => Sum(middle, to));
            return left.Result + right.Result;
        }
    }

    [Fact]
    public void Wait_DeepChainOfNestedTasks_Completes()
    {
        Eventually.Result(Factory.StartNew(() => Depth(300))).ShouldBe(300);

        int Depth(int left) => left == 0 ? 0 : 1 + Factory.StartNew(() => Depth(left - 1)).Result;
    }

    [Fact]
    public void WaitAll_ChildrenOfAWorker_Completes()
    {
        int sum = Eventually.Result(Factory.StartNew(() =>
        {
            Task<int>[] children = [.. Enumerable.Range(0, 1_000).Select(i => Factory.StartNew(() => i))];
            Task.WaitAll(children);
            return children.Sum(c => c.Result);
        }));

        sum.ShouldBe(499_500);
    }

    [Fact]
    public void Wait_WithACancellableToken_NeverInlines()
    {
        using var cancellation = new CancellationTokenSource();
        (int caller, int runner) = Eventually.Result(Factory.StartNew(() =>
        {
            Task<int> child = Factory.StartNew(() => Environment.CurrentManagedThreadId, TaskCreationOptions.PreferFairness);
            child.Wait(cancellation.Token);
            return (Environment.CurrentManagedThreadId, child.Result);
        }));

        runner.ShouldNotBe(caller);
    }

    [Fact]
    public void AttachedChildren_OfAWorker_EndBeforeTheParent()
    {
        int ended = 0;
        Task parent = Factory.StartNew(() =>
        {
            for (int i = 0; i < 50; i++)
            {
                _ = Factory.StartNew(() => Interlocked.Increment(ref ended), TaskCreationOptions.AttachedToParent);
            }
        });

        Eventually.End(parent);
        ended.ShouldBe(50);
    }

    [Fact]
    public void Wait_ForALongRunningTask_NeverRunsItOnTheWaiter()
    {
        int inlined = Eventually.Result(Factory.StartNew(() =>
        {
            int inlined = 0;
            for (int i = 0; i < 500; i++)
            {
                Task<int> task = Factory.StartNew(() => Environment.CurrentManagedThreadId, TaskCreationOptions.LongRunning);
                inlined += task.Result == Environment.CurrentManagedThreadId ? 1 : 0;
            }

            return inlined;
        }));
        inlined.ShouldBe(0);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(2)]
    public void Wait_ForOneOfSeveralChildren_KeepsItsResultNoLonger(int waitedFor)
    {
        using var open = new ManualResetEventSlim();
        var result = new TaskCompletionSource<WeakReference>();
        Task item = Factory.StartNew(() =>
        {
            result.SetResult(WaitForChild(waitedFor));
            open.Wait(Eventually.Patience);
        });
        WeakReference kept = Eventually.Result(result.Task);
        try
        {
            Eventually.Go(kept, "the result of a task that has been waited for is not kept while the item goes on");
        }
        finally
        {
            open.Set();
            Eventually.End(item);
        }
    }

    [System.Runtime.CompilerServices.MethodImpl(System.Runtime.CompilerServices.MethodImplOptions.NoInlining)]
    private WeakReference WaitForChild(int waitedFor)
    {
        Task<object>[] children = [.. Enumerable.Range(0, 3).Select(_ => Factory.StartNew(static () => new object()))];
        return new WeakReference(children[waitedFor].Result);
    }
}
