namespace AdaptivePool.Admission;

/// <summary>A transaction that is inside a gate, for whoever looks for what blocks it.</summary>
public sealed record TransactionLeaseInfo
{
    /// <summary>Number of the transaction, unique in its gate; <see cref="TransactionGate.Cancel"/> takes it.</summary>
    public required long Id { get; init; }

    /// <summary>Name that was asked with: an endpoint, a job; <see langword="null"/> when there was none.</summary>
    public required string? Name { get; init; }

    /// <summary>Partition that was asked with; <see langword="null"/> when there was none.</summary>
    public required string? Partition { get; init; }

    /// <summary>Priority that was asked with.</summary>
    public required TransactionPriority Priority { get; init; }

    /// <summary>How long it has been inside.</summary>
    public required TimeSpan Age { get; init; }

    /// <summary>Whether it was let in past the limit.</summary>
    public required bool IsPrivileged { get; init; }
}
