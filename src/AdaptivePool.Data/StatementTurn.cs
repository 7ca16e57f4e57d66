using AdaptivePool.Internal;

namespace AdaptivePool.Data;

/// <summary>The transaction of a connection and the statement that runs in it. An administrator ends the statement by cancelling the transaction: if a
/// statement begins while the transaction is cancelled, at least one of the two sees the other.</summary>
/// <typeparam name="TSync">The machine or its model.</typeparam>
/// <typeparam name="TTransaction">Type of transactions.</typeparam>
/// <typeparam name="TStatement">Type of statements.</typeparam>
internal sealed class StatementTurn<TSync, TTransaction, TStatement>
    where TSync : struct, ISync
    where TTransaction : class
    where TStatement : class
{
    private TTransaction? _transaction;
    private TStatement? _running;

    /// <summary>The open transaction.</summary>
    // The runtime publishes the contents of the object with the reference to it.
    public TTransaction? Transaction => TSync.RelaxedRead(ref _transaction);

    /// <summary>The statement that began last. A hint: it may have ended.</summary>
    public TStatement? Last => TSync.RelaxedRead(ref _running);

    /// <summary>A transaction has begun. Only when none is open.</summary>
    public void Begin(TTransaction transaction)
    {
        TSync.RelaxedWrite(ref _running, null);
        TSync.RelaxedWrite(ref _transaction, transaction);
    }

    /// <summary>A statement is about to run.</summary>
    /// <returns>Its transaction; the caller looks now whether that was cancelled.</returns>
    public TTransaction? BeginStatement(TStatement statement)
    {
        // Release: pairs with the read in RunningOf, so that a call that sees the statement sees its transaction.
        TSync.VolatileWrite(ref _running, statement);

        // Pairs with the fence in RunningOf, which comes after the cancellation: either that sees the statement, or the cancellation is seen here.
        TSync.Fence();
        return Transaction;
    }

    /// <summary>The statement that runs in a transaction that was cancelled just now;
    /// <see langword="null"/> when none does, or when the transaction is no longer open.</summary>
    public TStatement? RunningOf(TTransaction transaction)
    {
        // Pairs with the fence in BeginStatement.
        TSync.Fence();

        // The statement first: it belongs to the transaction if that is still the open one afterwards. Acquire keeps the order.
        TStatement? running = TSync.VolatileRead(ref _running);
        return ReferenceEquals(Transaction, transaction) ? running : null;
    }

    /// <summary>The transaction has ended. One that ended earlier changes nothing: the statement may be the next one's.</summary>
    /// <returns>Whether it was the open one.</returns>
    // Pairs with itself: an end that is reported late leaves the next transaction alone.
    public bool Forget(TTransaction transaction) => ReferenceEquals(TSync.RelaxedCompareExchange(ref _transaction, null, transaction), transaction);
}
