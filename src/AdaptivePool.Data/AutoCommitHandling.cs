namespace AdaptivePool.Data;

/// <summary>What a <see cref="GatedDataSource"/> does with a statement outside a transaction.</summary>
public enum AutoCommitHandling
{
    /// <summary>It passes freely.</summary>
    Pass,

    /// <summary>It counts as a transaction: it takes a permit until it has ended, a query until its reader is closed.</summary>
    Count,
}
