namespace AdaptivePool.Hosting.Hubs;

/// <summary>One call of a hub's method, one of its lifetime events, or the loop of a connection.</summary>
internal sealed class HubWorkItem(Func<ValueTask<object?>> call, BlockingAction? onBlocking) : ServerWorkItem(onBlocking)
{
    /// <summary>What the method returned; known when the item's task has completed.</summary>
    public object? Result { get; private set; }

    /// <summary>Why the class refused it; known when the item's task has completed, <see langword="null"/> where it did not.</summary>
    public WorkRefusedException? Refusal { get; private set; }

    /// <summary>Runs what belongs to a connection that was accepted: it is never refused.</summary>
    public static Task ContinueAsync(RequestTarget target, Func<Task> work)
    {
        var item = new HubWorkItem(
            async () =>
            {
                await work();
                return null;
            },
            target.OnBlocking);
        target.Continue(item);
        return item.Task;
    }

    protected override async Task Begin() => Result = await call();

    // Of all exceptions the client sees the message of this one only.
    protected override Task Answer(WorkRefusedException refusal)
    {
        Refusal = refusal;
        return Task.FromException(new HubException($"The server is busy; try again in {RequestEnd.Seconds(refusal.RetryAfter)} s.", refusal));
    }
}
