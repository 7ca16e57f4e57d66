namespace AdaptivePool.Admission;

/// <summary>Tells that a gate looks stalled: a caller waits, and no transaction has ended for long.</summary>
public sealed class GateStalledEventArgs(TimeSpan duration, int queued, IReadOnlyList<TransactionLeaseInfo> leases) : EventArgs
{
    /// <summary>How long no transaction has ended.</summary>
    public TimeSpan Duration { get; } = duration;

    /// <summary>How many wait.</summary>
    public int Queued { get; } = queued;

    /// <summary>The transactions inside, the oldest first.</summary>
    public IReadOnlyList<TransactionLeaseInfo> Leases { get; } = leases;
}
