namespace AdaptivePool.Admission;

/// <summary>State of a <see cref="TransactionGate"/> at one moment. The numbers are close to each other in time, not one atomic picture.</summary>
public sealed record GateSnapshot
{
    /// <summary>Name of the gate.</summary>
    public required string Name { get; init; }

    /// <summary>Limit in force, in transactions; 0: none.</summary>
    public required int PermitLimit { get; init; }

    /// <summary>Permits held.</summary>
    public required int Held { get; init; }

    /// <summary>Transactions inside that were let in past the limit.</summary>
    public required int Privileged { get; init; }

    /// <summary>How many wait.</summary>
    public required int Queued { get; init; }

    /// <summary>How long the oldest of them has waited; zero when nobody waits.</summary>
    public required TimeSpan OldestWait { get; init; }

    /// <summary>
    /// Share of the time of all slots in which they were held, counted while a caller waited; 0 to 1, 1 when nobody ever waited. What is missing is the time
    /// from the end of a transaction to the entry of the next one; slots that a group without borrowing may not use do not count as free.
    /// </summary>
    public required double BusyWhileWaiting { get; init; }

    /// <summary>Leases given so far, without nested ones and passes.</summary>
    public required long Admitted { get; init; }

    /// <summary>Those of <see cref="Admitted"/> that were let in past the limit.</summary>
    public required long AdmittedPrivileged { get; init; }

    /// <summary>Those of <see cref="Admitted"/> that had to wait.</summary>
    public required long AdmittedAfterWait { get; init; }

    /// <summary>Leases given inside a transaction that already had one.</summary>
    public required long Nested { get; init; }

    /// <summary>Waits that were cancelled by the one that waited.</summary>
    public required long Cancelled { get; init; }

    /// <summary>Times a lower priority went first because it had waited for the kick-up time. Growing fast: too many wait.</summary>
    public required long KickUps { get; init; }

    /// <summary>Times the gate looked stalled.</summary>
    public required long Stalls { get; init; }

    /// <summary>Handlers of <see cref="TransactionGate.Stalled"/> that threw.</summary>
    public required long HandlerFaults { get; init; }

    /// <summary>What the search for the limit has found out; <see langword="null"/> where the gate is not adaptive.</summary>
    public AdaptiveLimitSnapshot? Adaptive { get; init; }

    /// <summary>Refusals so far by reason; reasons that never occurred are there with zero.</summary>
    public required IReadOnlyDictionary<RefusalReason, long> Refused { get; init; }
}
