namespace AdaptivePool;

/// <summary>
/// A work item that is notified when its class does not run it because of <see cref="WorkClass.MaxQueued"/> or <see cref="WorkClass.MaxQueueTime"/>. Use it
/// with <see cref="WorkClass.UnsafeQueueRootWork(IThreadPoolWorkItem, WorkPriority)"/>. For other items that method throws an exception, or raises
/// <see cref="AdaptiveThreadPool.Faulted"/> when an item has waited too long.
/// </summary>
public interface IRefusableWorkItem : IThreadPoolWorkItem
{
    /// <summary>
    /// Called once, in place of Execute. If too many items wait, it runs on the thread that queues the item, before the queueing call returns. If the item has
    /// waited too long, it runs on a worker. It must return quickly. An exception from it comes out of that call, or is reported by
    /// <see cref="AdaptiveThreadPool.Faulted"/>.
    /// </summary>
    /// <param name="refusal">The reason, and when it makes sense to try again. The exception has not been thrown.</param>
    void Refuse(WorkRefusedException refusal);
}
