namespace AdaptivePool.Dispatch.Items;

/// <summary>A task in a queue whose worker would not know the task's scheduler. Only that scheduler may run it.</summary>
internal sealed class ScheduledTask(Task task, AdaptiveTaskScheduler scheduler) : IThreadPoolWorkItem
{
    public Task Task { get; } = task;

    public AdaptiveTaskScheduler Scheduler { get; } = scheduler;

    /// <summary>Whether a queued item stands for the given task.</summary>
    public static bool IsFor(object? item, object task) =>
        ReferenceEquals(item, task) || (item is ScheduledTask scheduled && ReferenceEquals(scheduled.Task, task));

    public void Execute()
    {
        if (Worker.CurrentOf(Scheduler.Owner.Pool.Set) is { } worker)
        {
            worker.Enter(Task, Scheduler);
            Scheduler.Execute(Task);
        }
        else
        {
            Scheduler.ExecuteHandedOver(Task);
        }
    }
}
