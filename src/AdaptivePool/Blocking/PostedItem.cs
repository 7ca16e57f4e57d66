namespace AdaptivePool.Blocking;

/// <summary>A callback posted to a context: what follows an await.</summary>
/// <param name="owner">The class whose context it was posted to.</param>
/// <param name="asTask">Whether the callback must find TaskScheduler.Current as it was before the await.</param>
/// <param name="callback">The callback.</param>
/// <param name="state">Its argument.</param>
internal sealed class PostedItem(WorkClass owner, bool asTask, SendOrPostCallback callback, object? state) : IThreadPoolWorkItem
{
    public WorkClass Owner { get; } = owner;

    public bool AsTask { get; } = asTask;

    public void Execute()
    {
        if (AsTask)
        {
            // A context of its own: see WorkClass.NewTaskContext.
            SynchronizationContext.SetSynchronizationContext(Owner.NewTaskContext());
        }
        else if (!ReferenceEquals(SynchronizationContext.Current, Owner.SynchronizationContext))
        {
            SynchronizationContext.SetSynchronizationContext(Owner.SynchronizationContext);
        }

        callback(state);
    }
}
