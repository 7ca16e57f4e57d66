namespace AdaptivePool;

/// <summary>
/// A work item that is told when its class does not run it, because <see cref="WorkClass.MaxQueued"/> or <see cref="WorkClass.MaxQueueTime"/> says so. For
/// items of <see cref="WorkClass.UnsafeQueueRootWork(IThreadPoolWorkItem, WorkPriority)"/>, which gets an exception otherwise, or raises
/// <see cref="AdaptiveThreadPool.Faulted"/> for an item that waited too long.
/// </summary>
public interface IRefusableWorkItem : IThreadPoolWorkItem
{
    /// <summary>
    /// Called once, in place of Execute: on the thread that queues the item where too many wait, before the call that queues it returns; on a worker where it
    /// waited too long. Must be quick. What it throws comes out of that call, or is told by <see cref="AdaptiveThreadPool.Faulted"/>.
    /// </summary>
    /// <param name="refusal">Why, and when coming again makes sense. It has not been thrown.</param>
    void Refuse(WorkRefusedException refusal);
}
