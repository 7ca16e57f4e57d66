namespace AdaptivePool.Tests.Contracts;

public abstract partial class TaskSchedulerContract
{
    [Fact]
    public void Progress_AllCoresBlockedAndOneTaskUnblocksThem_Ends()
    {
        using var open = new ManualResetEventSlim();
        Task[] blocked = [.. Enumerable.Range(0, Environment.ProcessorCount).Select(_ => Factory.StartNew(open.Wait))];
        Task unblocking = Factory.StartNew(open.Set);
        Eventually.End(unblocking, "the task that opens the gate must get a worker");
        Array.ForEach(blocked, t => Eventually.End(t));
    }

    [Fact]
    public void Progress_AllButOneCoreBlocked_ShortTasksRun()
    {
        using var open = new ManualResetEventSlim();
        Task[] blocked = [.. Enumerable.Range(0, Environment.ProcessorCount - 1).Select(_ => Factory.StartNew(open.Wait))];
        try
        {
            Task[] shortOnes = [.. Enumerable.Range(0, 200).Select(_ => Factory.StartNew(() => { }))];
            Array.ForEach(shortOnes, t => Eventually.End(t));
        }
        finally
        {
            open.Set();
        }

        Array.ForEach(blocked, t => Eventually.End(t));
    }

    [Fact]
    public void Progress_MoreBlockedThanCores_IsRescued()
    {
        using var open = new ManualResetEventSlim();
        Task[] blocked = [.. Enumerable.Range(0, Environment.ProcessorCount + 1).Select(_ => Factory.StartNew(open.Wait))];
        Task[] more = [.. Enumerable.Range(0, 20).Select(i => Factory.StartNew(() => { }))];
        Array.ForEach(more, t => Eventually.End(t, "short tasks behind blocked ones must run"));
        open.Set();
        Array.ForEach(blocked, t => Eventually.End(t));
    }

    [Fact]
    public void Progress_SleepersInFront_ShortTaskBehindThemRuns()
    {
        using var stop = new ManualResetEventSlim();
        Task[] sleepers = [.. Enumerable.Range(0, Environment.ProcessorCount + 1).Select(_ => Factory.StartNew(() =>
        {
            while (!stop.IsSet)
            {
                Thread.Sleep(20);
            }
        }))];

        Eventually.End(Factory.StartNew(stop.Set), "a task behind sleeping ones must run");
        Array.ForEach(sleepers, t => Eventually.End(t));
    }

    [Fact]
    public void Progress_ChainOfTasksThatQueueTheirSuccessor_Ends()
    {
        const int length = 100_000;
        using var ended = new ManualResetEventSlim();
        int runs = 0;
        void Next()
        {
            if (Interlocked.Increment(ref runs) == length)
            {
                ended.Set();
            }
            else
            {
                _ = Factory.StartNew(Next);
            }
        }

        _ = Factory.StartNew(Next);
        Eventually.Set(ended, "a chain of self-queueing tasks must end");
        runs.ShouldBe(length);
    }

    [Fact]
    public void Progress_TreeOfTasksThatQueueChildren_RunsAll()
    {
        const int depth = 14;
        using var left = new CountdownEvent((1 << (depth + 1)) - 1);
        void Grow(int level)
        {
            if (level > 0)
            {
                _ = Factory.StartNew(() => Grow(level - 1));
                _ = Factory.StartNew(() => Grow(level - 1));
            }

            left.Signal();
        }

        _ = Factory.StartNew(() => Grow(depth));
        Eventually.Zero(left, "each node of the tree must run");
    }

    [Fact]
    public void Progress_ChainOfTasksEachBlockedOnTheNext_Ends()
    {
        int length = Traits.BlockedChainLength;
        TaskCompletionSource[] links =
            [.. Enumerable.Range(0, length + 1).Select(_ => new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously))];
        Task[] tasks = [.. Enumerable.Range(0, length).Select(i => Factory.StartNew(() =>
        {
            links[i + 1].Task.Wait();
            links[i].SetResult();
        }))];
        Task last = Factory.StartNew(() => links[length].SetResult());

        Eventually.End(links[0].Task, "a chain of blocked tasks must resolve from its end");
        Eventually.End(last);
        Array.ForEach(tasks, t => Eventually.End(t));
    }

    [Fact]
    public void Progress_SyncOverAsyncOnManyMoreTasksThanWorkers_Ends()
    {
        int count = Traits.BlockedChainLength;
        Task<int>[] tasks = [.. Enumerable.Range(0, count).Select(i => Factory.StartNew(() => Inner(i).Result))];
        tasks.Select(t => Eventually.Result(t, "a blocked task's own continuations must find a worker")).Sum().ShouldBe(count * (count - 1) / 2);

        static async Task<int> Inner(int value)
        {
            await Task.Delay(20);
            await Task.Yield();
            return value;
        }
    }

    [Fact]
    public void Progress_LockConvoy_Ends()
    {
        var guard = new object();
        long count = 0;
        Task[] tasks = [.. Enumerable.Range(0, 64).Select(_ => Factory.StartNew(() =>
        {
            for (int i = 0; i < 200; i++)
            {
                lock (guard)
                {
                    count++;
                }
            }
        }))];

        Array.ForEach(tasks, t => Eventually.End(t));
        count.ShouldBe(64 * 200);
    }
}
