using AdaptivePool.Internal;
using AdaptivePool.Workers;

namespace AdaptivePool.Blocking;

/// <summary>A callback posted to a context: what follows an await. Workers use theirs again and again (<see cref="Worker{TSync}.Post"/>), so that an await that stays on the pool costs no memory.</summary>
internal sealed class PostedItem : IThreadPoolWorkItem
{
    private SendOrPostCallback? _callback;
    private object? _state;

    /// <summary>The class whose context it was posted to.</summary>
    public WorkClass Owner { get; private set; } = null!;

    /// <summary>Whether the callback must find TaskScheduler.Current as it was before the await.</summary>
    public bool AsTask { get; private set; }

    /// <summary>Fills the item. Before it is queued, by whoever alone holds it.</summary>
    public PostedItem With(WorkClass owner, bool asTask, SendOrPostCallback callback, object? state)
    {
        Owner = owner;
        AsTask = asTask;
        _callback = callback;
        _state = state;
        return this;
    }

    public void Execute()
    {
        (SendOrPostCallback callback, object? state) = Empty();
        Run(Owner, AsTask, callback, state);
    }

    /// <summary>Runs the callback on a worker, which gets the emptied item back first: the callback may need it for its next await.</summary>
    /// <typeparam name="TSync">The machine or its model.</typeparam>
    public void ExecuteOn<TSync>(Worker<TSync> worker)
        where TSync : struct, ISync
    {
        WorkClass owner = Owner;
        bool asTask = AsTask;
        (SendOrPostCallback callback, object? state) = Empty();
        worker.Keep(this);
        Run(owner, asTask, callback, state);
    }

    private static void Run(WorkClass owner, bool asTask, SendOrPostCallback callback, object? state)
    {
        if (asTask)
        {
            // A context of its own: see WorkClass.NewTaskContext.
            SynchronizationContext.SetSynchronizationContext(owner.NewTaskContext());
        }
        else if (!ReferenceEquals(SynchronizationContext.Current, owner.SynchronizationContext))
        {
            SynchronizationContext.SetSynchronizationContext(owner.SynchronizationContext);
        }

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
