using System.Runtime.Loader;

namespace AdaptivePool;

/// <summary>
/// What a pool knows about the end of the program around it: since when the time for its own end runs, and whether the process exits. The elastic part of a
/// pool uses the instance of the pool.
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

    /// <summary>Begins the end, unless it has begun. Any thread may call it.</summary>
    public void Begin() => Interlocked.CompareExchange(ref _beganAt, time.GetTimestamp(), Never);

    /// <summary>Registers for the exit of the process. The notice comes before any handler of <see cref="AppDomain.ProcessExit"/> runs.</summary>
    public void Watch() => AssemblyLoadContext.Default.Unloading += OnExit;

    /// <summary>Undoes <see cref="Watch"/>, so that the event of the process does not keep this instance alive.</summary>
    public void Unwatch() => AssemblyLoadContext.Default.Unloading -= OnExit;

    private void OnExit(AssemblyLoadContext context) => Volatile.Write(ref _isExiting, true);
}
