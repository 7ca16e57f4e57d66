using AdaptivePool.Workers;

namespace AdaptivePool;

/// <summary>
/// Tells the pool that the code inside blocks, where the pool could not see it at once (Thread.Sleep, system calls, native code). Ends when disposed, on the same thread. Nests. Costs nanoseconds.
/// </summary>
public readonly struct BlockingScope : IDisposable
{
    private readonly Worker? _worker;

    internal BlockingScope(Worker? worker, string? reason)
    {
        _worker = worker;
        worker?.EnterScope(reason);
    }

    /// <summary>Opens a scope for the pool whose worker runs the caller. Does nothing on any other thread.</summary>
    /// <param name="reason">What blocks, in a few words; shown in <see cref="PoolSnapshot.BlockingReasons"/>.</param>
    public static BlockingScope Enter(string? reason = null) => new(Worker.Current, reason);

    /// <summary>Ends the scope.</summary>
    public void Dispose() => _worker?.LeaveScope();
}
