using AdaptivePool.Internal;

namespace AdaptivePool.Dispatch;

/// <summary>
/// A callback posted to a context: what follows an await. Workers use theirs again and again (<see cref="Worker{TSync}.Post"/>), so that an await that stays on
/// the pool costs no memory.
/// </summary>
internal sealed class PostedItem : IThreadPoolWorkItem
{
    private PoolSynchronizationContext _context = null!;
    private SendOrPostCallback? _callback;
    private object? _state;
    private ExecutionContext? _flow;

    /// <summary>The class whose context it was posted to.</summary>
    public WorkClass Owner => _context.Owner;

    /// <summary>Whether the callback must find TaskScheduler.Current as it was before the await.</summary>
    public bool AsTask => _context.AsTasks;

    /// <summary>Fills the item. Before it is queued, by whoever alone holds it.</summary>
    /// <param name="context">The context it was posted to.</param>
    /// <param name="callback">What to run.</param>
    /// <param name="state">What to give it.</param>
    /// <param name="flow">What to run it under; <see langword="null"/> where the callback brings its own.</param>
    [BypassReadyToRun]
    public PostedItem With(PoolSynchronizationContext context, SendOrPostCallback callback, object? state, ExecutionContext? flow)
    {
        // Writing a reference costs a nanosecond, also where it is none: an item that is used again mostly comes from the same context, and is empty.
        if (!ReferenceEquals(_context, context))
        {
            _context = context;
        }

        _callback = callback;
        _state = state;
        if (flow is not null)
        {
            _flow = flow;
        }

        return this;
    }

    public void Execute()
    {
        PoolSynchronizationContext context = _context;
        (SendOrPostCallback callback, object? state, ExecutionContext? flow) = Empty();
        SynchronizationContext.SetSynchronizationContext(context.ForItem());
        Run(callback, state, flow);
    }

    /// <summary>Runs the callback on a worker, which gets the emptied item back first: the callback may need it for its next await.</summary>
    /// <typeparam name="TSync">The machine or its model.</typeparam>
    [BypassReadyToRun]
    public void ExecuteOn<TSync>(Worker<TSync> worker)
        where TSync : struct, ISync
    {
        PoolSynchronizationContext context = _context;
        (SendOrPostCallback callback, object? state, ExecutionContext? flow) = Empty();
        worker.Keep(this);
        if (context.AsTasks)
        {
            worker.EnterNew(context.Owner);
        }
        else
        {
            worker.Enter(context, context.Owner);
        }

        Run(callback, state, flow);
    }

    private static void Run(SendOrPostCallback callback, object? state, ExecutionContext? flow)
    {
        if (flow is not null)
        {
            // Whoever runs the item puts the thread's own back after it.
            ExecutionContext.Restore(flow);
        }

        callback(state);
    }

    private (SendOrPostCallback Callback, object? State, ExecutionContext? Flow) Empty()
    {
        (SendOrPostCallback, object?, ExecutionContext?) content = (_callback!, _state, _flow);
        _callback = null;
        _state = null;
        _flow = null;
        return content;
    }
}
