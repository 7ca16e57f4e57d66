using System.Collections.Concurrent;

namespace AdaptivePool.Tests.Contracts.TaskPrograms;

/// <summary>A scheduler that a user writes on top of another one, one task there for each of its own.</summary>
internal sealed class TopScheduler(TaskScheduler below) : TaskScheduler
{
    private readonly ConcurrentQueue<Task> _tasks = new();

    protected override void QueueTask(Task task)
    {
        _tasks.Enqueue(task);
        _ = Task.Factory.StartNew(
            static scheduler => ((TopScheduler)scheduler!).RunNext(), this, CancellationToken.None, TaskCreationOptions.DenyChildAttach, below);
    }

    protected override bool TryExecuteTaskInline(Task task, bool taskWasPreviouslyQueued) => false;

    protected override IEnumerable<Task> GetScheduledTasks() => [];

    private void RunNext()
    {
        if (_tasks.TryDequeue(out Task? task))
        {
            TryExecuteTask(task);
        }
    }
}
