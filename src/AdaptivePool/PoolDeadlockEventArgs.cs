namespace AdaptivePool;

/// <summary>Tells that a pool is deadlocked, or no longer.</summary>
public sealed class PoolDeadlockEventArgs(bool isDeadlocked, BlockingReport report) : EventArgs
{
    /// <summary>Whether the deadlock begins; otherwise it has ended.</summary>
    public bool IsDeadlocked { get; } = isDeadlocked;

    /// <summary>The state at this moment, with who blocks.</summary>
    public BlockingReport Report { get; } = report;
}
