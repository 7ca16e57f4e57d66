namespace AdaptivePool.Admission;

/// <summary>Whether the permits of a <see cref="TransactionGate"/> are divided.</summary>
public enum GatePartitioning
{
    /// <summary>One set of permits for all. The cheapest: a pass is one interlocked operation.</summary>
    Shared,

    /// <summary>
    /// Each group has the limit divided by <see cref="TransactionGateOptions.GroupCount"/>, rounded up, as a share of its own, or more where
    /// <see cref="TransactionGateOptions.GroupWeights"/> say so; a lease takes a lock.
    /// </summary>
    PerGroup,
}
