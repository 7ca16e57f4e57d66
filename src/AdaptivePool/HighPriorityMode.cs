namespace AdaptivePool;

/// <summary>Which new items go before others: see <see cref="AdaptivePoolOptions.HighPriorityMode"/>. The names are those of Percona Server.</summary>
public enum HighPriorityMode
{
    /// <summary>
    /// Items that are queued inside a transaction that holds a permit of a <see cref="Admission.TransactionGate"/> go first, as long as the transaction has
    /// tickets (<see cref="AdaptivePoolOptions.HighPriorityTickets"/>). Other new items wait by their <see cref="WorkPriority"/>.
    /// </summary>
    Transactions,

    /// <summary>
    /// All new items have the same priority, inside a transaction or not. They wait in the order in which they arrive; items of tenants and routes are taken in
    /// turn. A <see cref="WorkPriority"/> has no effect.
    /// </summary>
    Statements,

    /// <summary>Items that are queued inside a transaction wait like any other new item, by their <see cref="WorkPriority"/>.</summary>
    None,
}
