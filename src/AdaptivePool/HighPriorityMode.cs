namespace AdaptivePool;

/// <summary>Which new items go before others: see <see cref="AdaptivePoolOptions.HighPriorityMode"/>. The names are those of Percona Server.</summary>
public enum HighPriorityMode
{
    /// <summary>
    /// What is queued inside a transaction that holds a permit of a <see cref="Admission.TransactionGate"/> goes first, as long as the transaction has tickets
    /// (<see cref="AdaptivePoolOptions.HighPriorityTickets"/>). Other new items wait by their <see cref="WorkPriority"/>.
    /// </summary>
    Transactions,

    /// <summary>
    /// All new items have the same priority, inside a transaction or not: they wait in the order in which they come, and those of tenants and routes in turn.
    /// A <see cref="WorkPriority"/> means nothing.
    /// </summary>
    Statements,

    /// <summary>What is queued inside a transaction waits as any new item does, by its <see cref="WorkPriority"/>.</summary>
    None,
}
