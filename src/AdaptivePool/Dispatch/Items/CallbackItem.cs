namespace AdaptivePool.Dispatch.Items;

/// <summary>A callback with its state as a work item, under the class's synchronization context.</summary>
/// <typeparam name="TState">Type of the state.</typeparam>
internal sealed class CallbackItem<TState>(WorkClass owner, Action<TState> callback, TState state, ExecutionContext? flow) : IThreadPoolWorkItem
{
    private static readonly ContextCallback s_invoke = static item => ((CallbackItem<TState>)item!).Invoke();

    public void Execute()
    {
        if (flow is null)
        {
            Invoke();
        }
        else
        {
            ExecutionContext.Run(flow, s_invoke, this);
        }
    }

    private void Invoke()
    {
        // In a queue that classes share, the item came under the context of another class.
        owner.EnterFor(callback);
        callback(state);
    }
}
