using System.Runtime.CompilerServices;

namespace AdaptivePool.Tests.Contracts;

public abstract partial class TaskSchedulerContract
{
    [Fact]
    public void Exception_InATask_StaysInTheTask()
    {
        Task task = Factory.StartNew(() => throw new InvalidOperationException("mine"));
        Eventually.Complete(task);
        task.Status.ShouldBe(TaskStatus.Faulted);
        task.Exception!.InnerException.ShouldBeOfType<InvalidOperationException>().Message.ShouldBe("mine");
    }

    [Fact]
    public void Exception_InEachOfManyTasks_LeavesTheWorkersAlive()
    {
        Task[] tasks = [.. Enumerable.Range(0, 500).Select(_ => Factory.StartNew(() => throw new InvalidOperationException()))];
        Array.ForEach(tasks, t => Eventually.Complete(t));
        tasks.ShouldAllBe(t => t.IsFaulted && t.Exception!.InnerException is InvalidOperationException);
        Eventually.Result(Factory.StartNew(() => 3)).ShouldBe(3);
    }

    [Fact]
    public void Exception_InALongRunningTask_StaysInTheTask()
    {
        Task task = Factory.StartNew(() => throw new InvalidOperationException("mine"), TaskCreationOptions.LongRunning);
        Eventually.Complete(task);
        task.Exception!.InnerException.ShouldBeOfType<InvalidOperationException>();
    }

    [Fact]
    public void Exception_AfterAnAwait_StaysInTheTask()
    {
        Task task = Factory.StartNew(async () =>
        {
            await Task.Yield();
            throw new InvalidOperationException("late");
        }).Unwrap();

        Eventually.Complete(task);
        task.Exception!.InnerException.ShouldBeOfType<InvalidOperationException>().Message.ShouldBe("late");
    }

    [Fact]
    public void Exception_NobodyLooksAt_RaisesUnobservedTaskException()
    {
        string message = "unobserved " + Guid.NewGuid();
        int seen = 0;
        void Look(object? sender, UnobservedTaskExceptionEventArgs e)
        {
            if (e.Exception.InnerException?.Message == message)
            {
                e.SetObserved();
                Interlocked.Exchange(ref seen, 1);
            }
        }

        TaskScheduler.UnobservedTaskException += Look;
        try
        {
            Eventually.Be(
                () =>
                {
                    ThrowUnobserved(message);
                    GC.Collect();
                    GC.WaitForPendingFinalizers();
                    return Volatile.Read(ref seen) == 1;
                },
                "the runtime reports the exception once the task is collected, so neither queue nor worker may keep the task");
        }
        finally
        {
            TaskScheduler.UnobservedTaskException -= Look;
        }
    }

    [Fact]
    public void Task_ThatHasEnded_IsKeptByNobody()
    {
        WeakReference[] states = RunWithStates();
        Eventually.Be(
            () =>
            {
                // What runs next writes over what a worker remembers of its last task.
                Eventually.End(Factory.StartNew(static () => { }));
                GC.Collect();
                return Array.TrueForAll(states, static s => !s.IsAlive);
            },
            "neither queue nor worker keeps a task that has ended");
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private WeakReference[] RunWithStates()
    {
        object[] states = [.. Enumerable.Range(0, 200).Select(static _ => new object())];
        Task all = Factory.StartNew(() => Task.WaitAll([.. states.Select(state => Factory.StartNew(static s => GC.KeepAlive(s), state))]));
        Eventually.End(all);
        return [.. states.Select(static state => new WeakReference(state))];
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void ThrowUnobserved(string message)
    {
        using var ended = new ManualResetEventSlim();
        Factory.StartNew(() => throw new InvalidOperationException(message))
            .ContinueWith(_ => ended.Set(), CancellationToken.None, TaskContinuationOptions.ExecuteSynchronously, TaskScheduler.Default);
        Eventually.Set(ended, "the task must end");
    }
}
