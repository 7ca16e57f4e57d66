using AdaptivePool.Hosting.Requests;

namespace AdaptivePool.Hosting.Hubs;

/// <summary>One call of a hub's method, or one of its lifetime events.</summary>
internal sealed class HubMethodWorkItem(Func<ValueTask<object?>> call, BlockingAction? onBlocking) : ServerWorkItem(onBlocking)
{
    /// <summary>What the method returned; known when the item's task has completed.</summary>
    public object? Result { get; private set; }

    protected override async Task Begin() => Result = await call();
}
