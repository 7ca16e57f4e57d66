namespace AdaptivePool.Dispatch.Items;

/// <summary>
/// The context of a thread that ends a task. It is that of no await, and so no await continues inside the end: the framework queues what follows to where it
/// belongs. Combinations of tasks, and threads that wait for the task, do not mind it.
/// </summary>
internal sealed class EndingContext : SynchronizationContext
{
    public static EndingContext Instance { get; } = new();
}
