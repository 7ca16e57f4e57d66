namespace AdaptivePool.Data;

/// <summary>A caller that waits for a kept connection or, with <see langword="null"/>, for its turn to open one. Of a thread that gives and a caller that gives
/// up, whoever ends the task first wins.</summary>
/// <typeparam name="T">Type of connections.</typeparam>
internal sealed class ConnectionWaiter<T>(TimeSpan since) : TaskCompletionSource<T?>(TaskCreationOptions.RunContinuationsAsynchronously)
    where T : class
{
    public TimeSpan Since { get; } = since;
}
