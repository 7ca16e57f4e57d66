namespace AdaptivePool.Admission;

/// <summary>The state of a <see cref="TransactionGate"/> at one moment. The numbers are close to each other in time, but not from one atomic moment.</summary>
public sealed record GateSnapshot
{
    /// <summary>The name of the gate.</summary>
    public required string Name { get; init; }

    /// <summary>The current limit, in transactions; 0: none.</summary>
    public required int PermitLimit { get; init; }

    /// <summary>The number of permits held.</summary>
    public required int Held { get; init; }

    /// <summary>The number of transactions inside that entered beyond the limit.</summary>
    public required int Privileged { get; init; }

    /// <summary>The number of requests that wait.</summary>
    public required int Queued { get; init; }

    /// <summary>How long the oldest waiting request has waited; zero when none waits.</summary>
    public required TimeSpan OldestWait { get; init; }

    /// <summary>
    /// The share of the total time of all slots in which they were held, counted while a request waited; 0 to 1, and 1 if no request ever waited. The rest is
    /// the time from the end of a transaction to the entry of the next one. Slots that a group without borrowing may not use do not count as free.
    /// </summary>
    public required double BusyWhileWaiting { get; init; }

    /// <summary>The number of leases given so far, without nested leases and passes.</summary>
    public required long Admitted { get; init; }

    /// <summary>The part of <see cref="Admitted"/> that entered beyond the limit.</summary>
    public required long AdmittedPrivileged { get; init; }

    /// <summary>The part of <see cref="Admitted"/> that had to wait.</summary>
    public required long AdmittedAfterWait { get; init; }

    /// <summary>The number of leases given inside a transaction that already had one.</summary>
    public required long Nested { get; init; }

    /// <summary>The number of waits that the waiting caller cancelled.</summary>
    public required long Cancelled { get; init; }

    /// <summary>
    /// The number of times a lower priority went first because it had waited for the kick-up time. If this number grows fast, too many requests wait.
    /// </summary>
    public required long KickUps { get; init; }

    /// <summary>The number of times the gate looked stalled.</summary>
    public required long Stalls { get; init; }

    /// <summary>The number of handlers of <see cref="TransactionGate.Stalled"/> and <see cref="TransactionGate.Warned"/> that threw an exception.</summary>
    public required long HandlerFaults { get; init; }

    /// <summary>The results of the search for the limit; <see langword="null"/> if the gate is not adaptive.</summary>
    public AdaptiveLimitSnapshot? Adaptive { get; init; }

    /// <summary>The number of refusals so far, by reason. Reasons that never occurred are included with zero.</summary>
    public required IReadOnlyDictionary<RefusalReason, long> Refused { get; init; }
}
