namespace AdaptivePool.Admission;

/// <summary>The data of the event that a gate looks stalled: a request waits, and no transaction has ended for a long time.</summary>
public sealed class GateStalledEventArgs(TimeSpan duration, int queued, IReadOnlyList<TransactionLeaseInfo> leases) : EventArgs
{
    /// <summary>How long no transaction has ended.</summary>
    public TimeSpan Duration { get; } = duration;

    /// <summary>The number of requests that wait.</summary>
    public int Queued { get; } = queued;

    /// <summary>The transactions inside the gate, oldest first.</summary>
    public IReadOnlyList<TransactionLeaseInfo> Leases { get; } = leases;
}
