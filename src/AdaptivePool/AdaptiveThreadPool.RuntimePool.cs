namespace AdaptivePool;

/// <remarks>What the pool tells about the runtime's pool beside it.</remarks>
public sealed partial class AdaptiveThreadPool
{
    private readonly Runtime.RuntimePoolWatch? _runtimePool;

    /// <summary>
    /// Work waits in the runtime's pool for a second or longer: code that blocks there holds up the whole process, a web server's reading of requests included.
    /// Once in a process; where several pools watch, the first that has a handler is told. Raised on a thread of the watch: a handler must return quickly; what
    /// it throws is counted in <see cref="PoolSnapshot.Faulted"/>.
    /// <see cref="AdaptivePoolOptions.WatchRuntimePool"/> switches it off.
    /// </summary>
    public event EventHandler<string>? RuntimePoolStarved;

    internal TimeSpan RuntimePoolDelay => _runtimePool?.Delay ?? TimeSpan.Zero;

    private bool OnRuntimePoolStarved(string message)
    {
        if (RuntimePoolStarved is not { } told)
        {
            return false;
        }

        Raise(told, message);
        return true;
    }
}
