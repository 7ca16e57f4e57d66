namespace AdaptivePool.Benchmarks.Dispatch;

/// <summary>A work item that may be queued many times; the last of its executions lets the waiter go on.</summary>
public sealed class CountedItem : IThreadPoolWorkItem, IDisposable
{
    private readonly ManualResetEventSlim _done = new();
    private int _remaining;

    /// <summary>Sets the number of executions to wait for.</summary>
    public void Expect(int executions)
    {
        _done.Reset();
        Volatile.Write(ref _remaining, executions);
    }

    /// <summary>Waits for the last execution.</summary>
    public void Wait() => _done.Wait();

    /// <inheritdoc/>
    public void Execute()
    {
        if (Interlocked.Decrement(ref _remaining) == 0)
        {
            _done.Set();
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _done.Dispose();
}
