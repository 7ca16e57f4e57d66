namespace AdaptivePool.Admission;

/// <summary>A request to enter a <see cref="TransactionGate"/>. The default value has normal priority, no name, and accepts any group.</summary>
public readonly record struct TransactionRequest
{
    /// <summary>The name of the caller for the list of leases, such as an endpoint or a job. Default <see langword="null"/>: no name.</summary>
    public string? Name { get; init; }

    /// <summary>The order among the requests that wait. Default <see cref="TransactionPriority.Normal"/>.</summary>
    public TransactionPriority Priority
    {
        get => _priority + (int)TransactionPriority.Normal;
        init => _priority = value - (int)TransactionPriority.Normal;
    }

    /// <summary>
    /// The value that selects the group if <see cref="TransactionGateOptions.GroupCount"/> divides the gate, such as a tenant or a database. Equal values use
    /// the same group; different values may share one. Default <see langword="null"/>: the groups take turns.
    /// </summary>
    public string? Partition { get; init; }

    // Kept as the distance from Normal, so that the default of the struct is Normal.
    private readonly TransactionPriority _priority;
}
