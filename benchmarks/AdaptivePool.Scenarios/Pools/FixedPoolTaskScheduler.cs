namespace AdaptivePool.Scenarios.Pools;

/// <summary>Runs tasks on a <see cref="FixedPool"/>.</summary>
public sealed class FixedPoolTaskScheduler(FixedPool pool) : TaskScheduler
{
    /// <inheritdoc/>
    public override int MaximumConcurrencyLevel => pool.Size;

    /// <summary>Runs a queued task on the calling thread.</summary>
    public void Execute(Task task) => TryExecuteTask(task);

    /// <inheritdoc/>
    protected override void QueueTask(Task task) => pool.Add(task);

    /// <inheritdoc/>
    protected override bool TryExecuteTaskInline(Task task, bool taskWasPreviouslyQueued) => false;

    /// <inheritdoc/>
    protected override IEnumerable<Task>? GetScheduledTasks() => null;
}
