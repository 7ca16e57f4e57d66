namespace AdaptivePool.Data;

/// <summary>A caller that waits for a kept connection or, with <see langword="null"/>, for its turn to open one. A thread that gives and a caller that gives up
/// may end the task at the same time: the first one wins.</summary>
/// <typeparam name="T">Type of connections.</typeparam>
internal sealed class ConnectionWaiter<T>(TimeSpan since) : TaskCompletionSource<T?>(TaskCreationOptions.RunContinuationsAsynchronously)
    where T : class
{
    public TimeSpan Since { get; } = since;
}
