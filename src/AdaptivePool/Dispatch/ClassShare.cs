namespace AdaptivePool.Dispatch;

/// <summary>What a class with a weight has used of the CPU, and what it is owed.</summary>
/// <typeparam name="TSync">The machine or its model.</typeparam>
internal sealed class ClassShare<TSync>(ClassCore<TSync> core) : FairEntry
    where TSync : struct, ISync
{
    private int _isNoted;
    private long _used;

    public ClassCore<TSync> Core { get; } = core;

    /// <summary>Whether the class is among those that have work. Written under the lock of <see cref="SharedClasses{TSync}"/>; outside it a hint.</summary>
    public bool IsNoted { get => TSync.RelaxedRead(ref _isNoted) != 0; set => TSync.RelaxedWrite(ref _isNoted, value ? 1 : 0); }

    /// <summary>CPU time that the class has used since it got a weight, in nanoseconds.</summary>
    public long Used => TSync.RelaxedRead(ref _used);

    /// <summary>Adds CPU time. Under the lock of <see cref="SharedClasses{TSync}"/>.</summary>
    public void AddUsed(long nanoseconds) => TSync.RelaxedWrite(ref _used, TSync.Read(ref _used) + nanoseconds);
}
