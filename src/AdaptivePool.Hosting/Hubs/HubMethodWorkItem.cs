using AdaptivePool.Hosting.Requests;
using Microsoft.AspNetCore.SignalR;

namespace AdaptivePool.Hosting.Hubs;

/// <summary>One call of a hub's method, or one of its lifetime events.</summary>
internal sealed class HubMethodWorkItem(Func<ValueTask<object?>> call, BlockingAction? onBlocking) : ServerWorkItem(onBlocking)
{
    /// <summary>What the method returned; known when the item's task has completed.</summary>
    public object? Result { get; private set; }

    protected override async Task Begin() => Result = await call();

    // Of all exceptions the client sees the message of this one only.
    protected override Task Answer(WorkRefusedException refusal) =>
        Task.FromException(new HubException($"The server is busy; try again in {RefusalAnswer.Seconds(refusal.RetryAfter)} s.", refusal));
}
