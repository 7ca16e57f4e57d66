namespace AdaptivePool;

/// <summary>
/// Tells the pool that the code inside blocks, where the pool could not see it at once (Thread.Sleep, system calls, native code). Ends when disposed, on the
/// same thread, or with the item at the latest. Nests. Costs nanoseconds. Where nearly all of a class's workers have said so, work waits, and none of its items
/// ends for 5 ms, the class gets more threads, unless those workers are seen to compute: declare what sleeps, not what a server with few callers answers.
/// An outermost scope of 20 ms or more is counted when it ends: <see cref="AdaptiveThreadPool.GetBlockers"/>.
/// Disposing it again, on another thread (as after an await inside), or a scope that was never opened does nothing.
/// </summary>
public readonly struct BlockingScope : IDisposable
{
    private readonly Worker? _worker;
    private readonly long _number;

    internal BlockingScope(Worker? worker, string? reason)
    {
        _worker = worker;
        _number = worker?.EnterScope(reason) ?? 0;
    }

    /// <summary>Opens a scope for the pool whose worker runs the caller. Does nothing on any other thread.</summary>
    /// <param name="reason">What blocks, in a few words; shown in <see cref="PoolSnapshot.BlockingReasons"/> and <see cref="Blocker.Reason"/>. Use few
    /// different ones: 192 kinds of blockers are told apart.</param>
    public static BlockingScope Enter(string? reason = null) => new(Worker.Current, reason);

    /// <summary>Ends the scope, and scopes inside it that were left open.</summary>
    public void Dispose()
    {
        // The worker of another thread is not ours to change: its own item closes what it left open.
        if (_worker is not null && ReferenceEquals(Worker.Current, _worker))
        {
            _worker.LeaveScope(_number);
        }
    }
}
