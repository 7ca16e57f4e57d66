namespace AdaptivePool;

/// <summary>Tells that a work item ended with an exception that nobody else observes.</summary>
public sealed class PoolFaultEventArgs(Exception exception) : EventArgs
{
    /// <summary>The exception.</summary>
    public Exception Exception { get; } = exception;
}
