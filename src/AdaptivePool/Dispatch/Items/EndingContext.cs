namespace AdaptivePool.Dispatch.Items;

/// <summary>
/// The context of a thread that ends a task. No await has this context, so no await continues inside the end: the framework queues the continuation where it
/// belongs. Combinations of tasks, and threads that wait for the task, are not affected.
/// </summary>
internal sealed class EndingContext : SynchronizationContext
{
    public static EndingContext Instance { get; } = new();
}
