using System.Globalization;

namespace AdaptivePool.Tests.Contracts;

public abstract partial class TaskSchedulerContract
{
    private static readonly AsyncLocal<string?> s_ambient = new();

    [Theory]
    [InlineData(TaskCreationOptions.None)]
    [InlineData(TaskCreationOptions.PreferFairness)]
    [InlineData(TaskCreationOptions.LongRunning)]
    public void ExecutionContext_OfTheCreator_FlowsIn(TaskCreationOptions options)
    {
        s_ambient.Value = "creator";
        Task<string?> task = Factory.StartNew<string?>(() => s_ambient.Value, options);
        s_ambient.Value = null;
        Eventually.Result(task).ShouldBe("creator");
    }

    [Theory]
    [InlineData(TaskCreationOptions.None)]
    [InlineData(TaskCreationOptions.LongRunning)]
    public void ExecutionContext_FlowSuppressed_DoesNotFlowIn(TaskCreationOptions options)
    {
        s_ambient.Value = "creator";
        Task<string?> task;
        using (ExecutionContext.SuppressFlow())
        {
            task = Factory.StartNew<string?>(() => s_ambient.Value, options);
        }

        s_ambient.Value = null;
        Eventually.Result(task).ShouldBeNull();
    }

    [Fact]
    public void ExecutionContext_ChangedInATask_DoesNotLeakToTheNext()
    {
        Task<string?>[] tasks = [.. Enumerable.Range(0, 500).Select(i => Factory.StartNew(() =>
        {
            string? found = s_ambient.Value;
            s_ambient.Value = "leak " + i;
            return found;
        }))];

        tasks.Select(t => Eventually.Result(t)).ShouldAllBe(found => found == null);
        s_ambient.Value.ShouldBeNull();
    }

    [Fact]
    public void ExecutionContext_OfTheWorkStarter_DoesNotLeakIntoNewThreads()
    {
        s_ambient.Value = "first";
        using var open = new ManualResetEventSlim();
        Task[] blockers = [.. Enumerable.Range(0, Environment.ProcessorCount).Select(_ => Factory.StartNew(open.Wait))];
        s_ambient.Value = null;
        Task<string?>[] others;
        using (ExecutionContext.SuppressFlow())
        {
            others = [.. Enumerable.Range(0, 8).Select(_ => Factory.StartNew<string?>(() => s_ambient.Value))];
        }

        open.Set();
        Array.ForEach(blockers, t => Eventually.End(t));
        others.Select(t => Eventually.Result(t)).ShouldAllBe(found => found == null);
    }

    [Fact]
    public void ExecutionContext_AcrossAwaits_StaysWithTheFlow()
    {
        Task<bool>[] flows = [.. Enumerable.Range(0, 200).Select(i => Factory.StartNew(async () =>
        {
            string mine = "flow " + i;
            s_ambient.Value = mine;
            for (int hop = 0; hop < 5; hop++)
            {
                await Task.Yield();
                if (s_ambient.Value != mine)
                {
                    return false;
                }
            }

            return true;
        }).Unwrap())];

        flows.Select(t => Eventually.Result(t)).ShouldAllBe(kept => kept);
    }

    public static TheoryData<string> Awaits => ["yield", "delay", "runtime pool", "semaphore", "incomplete source"];

    [Theory]
    [MemberData(nameof(Awaits))]
    public void TaskSchedulerCurrent_AfterAnAwait_IsTheScheduler(string what) => AssertBack(Factory.StartNew(async () =>
    {
        TaskScheduler before = TaskScheduler.Current;
        await Leave(what);
        return (before, TaskScheduler.Current, IsOnAWorker);
    }).Unwrap());

    [Theory]
    [MemberData(nameof(Awaits))]
    public void TaskSchedulerCurrent_AfterAnAwaitInACalledMethod_IsTheScheduler(string what)
    {
        AssertBack(Factory.StartNew(async () =>
        {
            TaskScheduler before = TaskScheduler.Current;
            await Called();
            return (before, TaskScheduler.Current, IsOnAWorker);
        }).Unwrap());

        async Task Called() => await Leave(what);
    }

    [Fact]
    public void TaskSchedulerCurrent_AfterManyAwaits_IsTheScheduler() => AssertBack(Factory.StartNew(async () =>
    {
        TaskScheduler before = TaskScheduler.Current;
        for (int i = 0; i < 50; i++)
        {
            await Leave("runtime pool");
            if (TaskScheduler.Current != Scheduler)
            {
                break;
            }
        }

        return (before, TaskScheduler.Current, IsOnAWorker);
    }).Unwrap());

    [Fact]
    public void Await_ConfiguredAwayFromTheContext_LeavesTheScheduler()
    {
        var gate = new TaskCompletionSource();
        (TaskScheduler current, bool runtimePool) = Eventually.Result(Factory.StartNew(() =>
        {
            Task<(TaskScheduler, bool)> rest = Leave(gate.Task);
            // The rest has suspended by now. Completing the gate on a worker must not run it here, although nothing asks for asynchronous continuations.
            gate.SetResult();
            return rest;
        }).Unwrap());

        current.ShouldBeSameAs(TaskScheduler.Default);
        runtimePool.ShouldBeTrue();

        static async Task<(TaskScheduler, bool)> Leave(Task gate)
        {
            await gate.ConfigureAwait(false);
            return (TaskScheduler.Current, Thread.CurrentThread.IsThreadPoolThread);
        }
    }

    [Fact]
    public void SynchronizationContext_SetInATask_DoesNotLeakToTheNext()
    {
        var foreign = new SynchronizationContext();
        Task<bool>[] tasks = [.. Enumerable.Range(0, 500).Select(_ => Factory.StartNew(() =>
        {
            bool leaked = SynchronizationContext.Current == foreign;
            SynchronizationContext.SetSynchronizationContext(foreign);
            return leaked;
        }))];

        tasks.Select(t => Eventually.Result(t)).ShouldAllBe(leaked => !leaked);
    }

    [Fact]
    public void SynchronizationContext_OfTheCreator_IsNotSeenByTheTask()
    {
        var foreign = new SynchronizationContext();
        SynchronizationContext? before = SynchronizationContext.Current;
        SynchronizationContext.SetSynchronizationContext(foreign);
        try
        {
            SynchronizationContext? seen = Eventually.Result(Factory.StartNew(() => SynchronizationContext.Current));
            seen.ShouldNotBe(foreign);
        }
        finally
        {
            SynchronizationContext.SetSynchronizationContext(before);
        }
    }

    [Fact]
    public void Thread_ChangedByATask_IsAsNewForTheNext()
    {
        var culture = (CultureInfo)CultureInfo.InvariantCulture.Clone();
        culture.NumberFormat.NumberDecimalSeparator = "|";
        Task<string>[] tasks = [.. Enumerable.Range(0, 500).Select(_ => Factory.StartNew(() =>
        {
            Thread thread = Thread.CurrentThread;
            string found = thread.Name == "spoilt" ? "name " : "";
            found += thread.Priority != ThreadPriority.Normal ? "priority " : "";
            found += ReferenceEquals(CultureInfo.CurrentCulture, culture) ? "culture " : "";
            found += ReferenceEquals(CultureInfo.CurrentUICulture, culture) ? "UI culture " : "";
            found += thread.IsBackground ? "" : "foreground ";
            thread.Name = "spoilt";
            thread.Priority = ThreadPriority.BelowNormal;
            thread.IsBackground = false;
            CultureInfo.CurrentCulture = culture;
            CultureInfo.CurrentUICulture = culture;
            return found;
        }))];

        tasks.Select(t => Eventually.Result(t)).ShouldAllBe(found => found == "");
    }

    /// <summary>Something to await whose end comes from a thread that is not a worker, or from the queue.</summary>
    private static async Task Leave(string what)
    {
        switch (what)
        {
            case "yield":
                await Task.Yield();
                break;
            case "delay":
                await Task.Delay(5);
                break;
            case "runtime pool":
                await Task.Run(() => Thread.SpinWait(10_000));
                break;
            case "semaphore":
                using (var semaphore = new SemaphoreSlim(0))
                {
                    Task wait = semaphore.WaitAsync();
                    semaphore.Release();
                    await wait;
                }

                break;
            default:
                // Asynchronously: the runtime's scheduler lets the completing thread run on otherwise.
                var source = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
                new Thread(source.SetResult).Start();
                await source.Task;
                break;
        }
    }

    private void AssertBack(Task<(TaskScheduler Before, TaskScheduler After, bool Worker)> flow)
    {
        (TaskScheduler before, TaskScheduler after, bool worker) = Eventually.Result(flow);
        before.ShouldBeSameAs(Scheduler);
        after.ShouldBeSameAs(Scheduler);
        worker.ShouldBeTrue();
    }
}
