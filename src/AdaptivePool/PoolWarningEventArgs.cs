namespace AdaptivePool;

/// <summary>Tells that something beside the pool's work does not function: a file that cannot be read or written. The pool goes on without it.</summary>
public sealed class PoolWarningEventArgs(string message) : EventArgs
{
    /// <summary>What is wrong, with the name of the file.</summary>
    public string Message { get; } = message;
}
