namespace AdaptivePool.Dispatch.Items;

/// <summary>
/// A callback posted to a context: the continuation of an await. Workers use their items again and again (<see cref="Worker{TSync}.Post"/>), so that an await
/// that stays on the pool costs no memory.
/// </summary>
internal sealed class PostedItem : IThreadPoolWorkItem
{
    private PoolSynchronizationContext _context = null!;
    private SendOrPostCallback? _callback;
    private object? _state;

    /// <summary>The class whose context it was posted to.</summary>
    public WorkClass Owner => _context.Owner;

    /// <summary>Whether the callback must find TaskScheduler.Current as it was before the await.</summary>
    public bool AsTask => _context.AsTasks;

    /// <summary>Fills the item. Called before it is queued, by the only thread that holds it.</summary>
    /// <param name="context">The context it was posted to.</param>
    /// <param name="callback">What to run. It brings the execution context that it runs under, where it needs one.</param>
    /// <param name="state">What to give it.</param>
    [BypassReadyToRun]
    public PostedItem With(PoolSynchronizationContext context, SendOrPostCallback callback, object? state)
    {
        // Writing a reference costs a nanosecond, even null. An item that is used again is empty, and mostly comes from the same context.
        if (!ReferenceEquals(_context, context))
        {
            _context = context;
        }

        _callback = callback;
        _state = state;
        return this;
    }

    public void Execute()
    {
        PoolSynchronizationContext context = _context;
        (SendOrPostCallback callback, object? state) = Empty();
        SynchronizationContext.SetSynchronizationContext(context.ForItem());
        callback(state);
    }

    /// <summary>Runs the callback on a worker. The worker gets the emptied item back first, because the callback may need it for its next await.</summary>
    /// <typeparam name="TSync">The machine or its model.</typeparam>
    [BypassReadyToRun]
    public void ExecuteOn<TSync>(Worker<TSync> worker)
        where TSync : struct, ISync
    {
        PoolSynchronizationContext context = _context;
        (SendOrPostCallback callback, object? state) = Empty();
        worker.Keep(this);
        worker.Enter(context.ForItem(), context.Owner);
        callback(state);
    }

    private (SendOrPostCallback Callback, object? State) Empty()
    {
        (SendOrPostCallback, object?) content = (_callback!, _state);
        _callback = null;
        _state = null;
        return content;
    }
}
