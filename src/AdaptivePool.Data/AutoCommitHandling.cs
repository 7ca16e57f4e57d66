namespace AdaptivePool.Data;

/// <summary>What a <see cref="GatedDataSource"/> does with a statement outside a transaction.</summary>
public enum AutoCommitHandling
{
    /// <summary>The statement does not enter the gate.</summary>
    Pass,

    /// <summary>
    /// The statement counts as a transaction: it takes a permit until it has ended. A query keeps the permit until its reader is closed. A statement inside a
    /// transaction of System.Transactions passes.
    /// </summary>
    Count,
}
