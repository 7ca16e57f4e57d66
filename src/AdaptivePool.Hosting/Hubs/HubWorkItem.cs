namespace AdaptivePool.Hosting.Hubs;

/// <summary>One call of a hub's method, one of its lifetime events, or the loop of a connection.</summary>
internal sealed class HubWorkItem(Func<ValueTask<object?>> call, BlockingAction? onBlocking) : ServerWorkItem(onBlocking)
{
    /// <summary>The result of the method; known when the item's task has completed.</summary>
    public object? Result { get; private set; }

    /// <summary>Why the class refused the call; known when the item's task has completed, <see langword="null"/> if it was not refused.</summary>
    public WorkRefusedException? Refusal { get; private set; }

    /// <summary>Runs work of a connection that was accepted. Such work is never refused.</summary>
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

    // The client sees the message of this exception only, and of no other one.
    protected override Task Answer(WorkRefusedException refusal)
    {
        Refusal = refusal;
        return Task.FromException(new HubException($"The server is busy; try again in {RequestEnd.Seconds(refusal.RetryAfter)} s.", refusal));
    }
}
