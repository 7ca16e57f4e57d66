namespace AdaptivePool.Admission;

/// <summary>Who asks to enter a <see cref="TransactionGate"/>. The default asks with normal priority, without a name, for any group.</summary>
public readonly record struct TransactionRequest
{
    /// <summary>Who it is, for the list of leases: an endpoint, a job. Default <see langword="null"/>: nameless.</summary>
    public string? Name { get; init; }

    /// <summary>Order among those that wait. Default <see cref="TransactionPriority.Normal"/>.</summary>
    public TransactionPriority Priority
    {
        get => _priority + (int)TransactionPriority.Normal;
        init => _priority = value - (int)TransactionPriority.Normal;
    }

    /// <summary>
    /// What decides the group where <see cref="TransactionGateOptions.GroupCount"/> divides the gate: a tenant, a database. Equal values share a group,
    /// different ones may. Default <see langword="null"/>: the groups take turns.
    /// </summary>
    public string? Partition { get; init; }

    // Kept as the distance from Normal, so that the default of the struct is Normal.
    private readonly TransactionPriority _priority;
}
