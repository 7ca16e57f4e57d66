namespace AdaptivePool.Admission;

/// <summary>A transaction inside a gate, for finding out what blocks the gate.</summary>
public sealed record TransactionLeaseInfo
{
    /// <summary>The number of the transaction, unique in its gate; the argument of <see cref="TransactionGate.Cancel"/>.</summary>
    public required long Id { get; init; }

    /// <summary>The name in the request, such as an endpoint or a job; <see langword="null"/> if there was none.</summary>
    public required string? Name { get; init; }

    /// <summary>The partition in the request; <see langword="null"/> if there was none.</summary>
    public required string? Partition { get; init; }

    /// <summary>The priority in the request.</summary>
    public required TransactionPriority Priority { get; init; }

    /// <summary>How long the transaction has been inside the gate.</summary>
    public required TimeSpan Age { get; init; }

    /// <summary>Whether the transaction entered beyond the limit.</summary>
    public required bool IsPrivileged { get; init; }
}
