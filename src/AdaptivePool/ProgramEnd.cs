using System.Runtime.Loader;

namespace AdaptivePool;

/// <summary>
/// What a pool knows of the end of the program around it: since when the time for its own end runs, and whether the process exits. The elastic part of a pool
/// has that of the pool.
/// </summary>
internal sealed class ProgramEnd(TimeProvider time)
{
    private const long Never = long.MinValue;

    private long _beganAt = Never;
    private bool _isExiting;

    /// <summary>Time since the end began; zero before.</summary>
    public TimeSpan Spent => Interlocked.Read(ref _beganAt) is not Never and var at ? time.GetElapsedTime(at) : TimeSpan.Zero;

    /// <summary>Whether the process exits.</summary>
    public bool IsExiting => Volatile.Read(ref _isExiting);

    /// <summary>Begins the end, unless it has begun. Any thread.</summary>
    public void Begin() => Interlocked.CompareExchange(ref _beganAt, time.GetTimestamp(), Never);

    /// <summary>Notices when the process exits, before any handler of <see cref="AppDomain.ProcessExit"/> does.</summary>
    public void Watch() => AssemblyLoadContext.Default.Unloading += OnExit;

    /// <summary>Takes <see cref="Watch"/> back: what others have must not keep this.</summary>
    public void Unwatch() => AssemblyLoadContext.Default.Unloading -= OnExit;

    private void OnExit(AssemblyLoadContext context) => Volatile.Write(ref _isExiting, true);
}
