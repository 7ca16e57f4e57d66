namespace AdaptivePool.Dispatch.Items;

/// <summary>A task in a queue whose worker would not know its scheduler: only that one may run it.</summary>
internal sealed class ScheduledTask(Task task, AdaptiveTaskScheduler scheduler) : IThreadPoolWorkItem
{
    public Task Task { get; } = task;

    public AdaptiveTaskScheduler Scheduler { get; } = scheduler;

    /// <summary>Whether a queued item stands for the given task.</summary>
    public static bool IsFor(object? item, object task) =>
        ReferenceEquals(item, task) || (item is ScheduledTask scheduled && ReferenceEquals(scheduled.Task, task));

    /// <summary>Whether a queued item is a task that has ended: it ran where it was waited for, or was cancelled.</summary>
    public static bool HasEnded(object item) => (item as Task ?? (item as ScheduledTask)?.Task) is { IsCompleted: true };

    public void Execute()
    {
        Worker.CurrentOf(Scheduler.Owner.Pool.Set)?.Enter(Task, Scheduler);
        Scheduler.Execute(Task);
    }
}
