namespace AdaptivePool.Tests.Contracts.TaskPrograms;

/// <summary>
/// The control: the plainest scheduler that is not the default one, so that a program can tell the two apart. It runs its tasks on the runtime's pool.
/// </summary>
internal sealed class ReferenceScheduler : TaskScheduler
{
    protected override void QueueTask(Task task)
    {
        if (task.CreationOptions.HasFlag(TaskCreationOptions.LongRunning))
        {
            new Thread(() => TryExecuteTask(task)) { IsBackground = true }.UnsafeStart();
        }
        else
        {
            bool isFair = task.CreationOptions.HasFlag(TaskCreationOptions.PreferFairness);
            ThreadPool.UnsafeQueueUserWorkItem(static queued => queued.Scheduler.TryExecuteTask(queued.Task), (Scheduler: this, Task: task), !isFair);
        }
    }

    // Not under a context: it would be that of the task's first await.
    protected override bool TryExecuteTaskInline(Task task, bool taskWasPreviouslyQueued) =>
        Thread.CurrentThread.IsThreadPoolThread
        && SynchronizationContext.Current is null
        && !(taskWasPreviouslyQueued && task.CreationOptions.HasFlag(TaskCreationOptions.LongRunning))
        && TryExecuteTask(task);

    protected override bool TryDequeue(Task task) => true;

    protected override IEnumerable<Task> GetScheduledTasks() => [];
}
