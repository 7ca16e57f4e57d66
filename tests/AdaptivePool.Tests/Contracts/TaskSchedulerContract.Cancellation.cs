namespace AdaptivePool.Tests.Contracts;

public abstract partial class TaskSchedulerContract
{
    [Fact]
    public void StartNew_CancelledToken_IsCanceledWithoutRunning()
    {
        bool ran = false;
        Task task = Factory.StartNew(() => ran = true, new CancellationToken(canceled: true));
        Eventually.Complete(task);
        task.Status.ShouldBe(TaskStatus.Canceled);
        ran.ShouldBeFalse();
    }

    [Fact]
    public void Cancel_RacingTheStart_RunsXorCancels()
    {
        const int count = 5_000;
        var runs = new int[count];
        Task[] tasks = new Task[count];
        var sources = new CancellationTokenSource[count];
        for (int i = 0; i < count; i++)
        {
            int index = i;
            sources[i] = new CancellationTokenSource();
            tasks[i] = Factory.StartNew(() => Interlocked.Increment(ref runs[index]), sources[i].Token);
            if (i % 2 == 0)
            {
                sources[i].Cancel();
            }
        }

        for (int i = 0; i < count; i++)
        {
            Eventually.Complete(tasks[i]);
            runs[i].ShouldBe(tasks[i].Status == TaskStatus.Canceled ? 0 : 1);
            sources[i].Dispose();
        }
    }

    [Fact]
    public void Cancel_InsideTheTaskWithItsToken_IsCanceled()
    {
        using var cancellation = new CancellationTokenSource();
        Task task = Factory.StartNew(() =>
        {
            cancellation.Cancel();
            cancellation.Token.ThrowIfCancellationRequested();
        }, cancellation.Token);

        Eventually.Complete(task);
        task.Status.ShouldBe(TaskStatus.Canceled);
    }

    [Fact]
    public void Cancel_ManyQueuedTasks_LeavesTheSchedulerWorking()
    {
        using var cancellation = new CancellationTokenSource();
        Task[] tasks = [.. Enumerable.Range(0, 2_000).Select(_ => Factory.StartNew(() => { }, cancellation.Token))];
        cancellation.Cancel();
        Array.ForEach(tasks, t => Eventually.Complete(t));
        tasks.ShouldAllBe(t => t.Status == TaskStatus.RanToCompletion || t.Status == TaskStatus.Canceled);
        Eventually.Result(Factory.StartNew(() => 5)).ShouldBe(5);
    }
}
