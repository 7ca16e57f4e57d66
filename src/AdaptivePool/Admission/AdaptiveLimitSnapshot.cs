namespace AdaptivePool.Admission;

/// <summary>The results of the search of an adaptive gate; see <see cref="TransactionGateOptions.Adaptive"/>.</summary>
public sealed record AdaptiveLimitSnapshot
{
    /// <summary>Whether the gate leaves the limit unchanged: see <see cref="TransactionGateOptions.AdaptiveMonitorOnly"/>.</summary>
    public required bool IsMonitorOnly { get; init; }

    /// <summary>
    /// The limit that the search wants now, in transactions, including trials. In monitor-only mode, the limit that would have been best; 0 while nothing is
    /// known.
    /// </summary>
    public required int Wanted { get; init; }

    /// <summary>The limit that the search has confirmed, whatever it tries at the moment. In monitor-only mode, the same as <see cref="Wanted"/>.</summary>
    public required int Verified { get; init; }

    /// <summary>The reason for the last change of the limit.</summary>
    public required DecisionReason Reason { get; init; }

    /// <summary>What the search does, in words; empty before its first decision.</summary>
    public required string State { get; init; }

    /// <summary>
    /// The number of transactions that ended successfully per second, in the last sample in which the limit made requests wait; NaN before the first such
    /// sample. In monitor-only mode, in the last sample.
    /// </summary>
    public required double PerSecond { get; init; }

    /// <summary>The number of transactions that ended successfully, including passes, without those that entered beyond the limit.</summary>
    public required long Ended { get; init; }

    /// <summary>The number of transactions that failed; see <see cref="TransactionLease.HasFailed"/>.</summary>
    public required long Failed { get; init; }

    /// <summary>The number of changes of the limit that the search made; in monitor-only mode, the changes that would have been made.</summary>
    public required long Changes { get; init; }

    /// <summary>In monitor-only mode, the mean number of transactions that would have waited in the last sample with the wanted limit; 0 otherwise.</summary>
    public required double WouldWait { get; init; }

    /// <summary>
    /// What the gate knows about other instances before the same database; <see langword="null"/> without <see cref="TransactionGateOptions.Fleet"/>.
    /// </summary>
    public GateFleetSnapshot? Fleet { get; init; }

    /// <summary>The number of handlers of <see cref="TransactionGate.LimitChanged"/>, and of meter listeners, that threw an exception.</summary>
    public required long HandlerFaults { get; init; }
}
