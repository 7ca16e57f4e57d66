using System.Data;
using System.Data.Common;
using System.Threading.RateLimiting;

namespace AdaptivePool.Admission;

/// <remarks>Entering and leaving the gate.</remarks>
public sealed partial class GatedConnection
{
    private GatedTransaction? _transaction;

    /// <summary>The statement that ran last, for an administrator's wish to end the transaction.</summary>
    private DbCommand? _running;

    /// <summary>A statement is about to run.</summary>
    /// <exception cref="OperationCanceledException">An administrator has cancelled the transaction.</exception>
    internal void BeginStatement(DbCommand command)
    {
        // Pairs with the read in CancelRunning. A full fence: either that sees the statement, or the cancellation is seen here.
        Interlocked.Exchange(ref _running, command);
        Volatile.Read(ref _transaction)?.ThrowIfCancelled();
    }

    /// <summary>Ends the statement of a transaction that runs, if one does. A provider without cancellation does nothing or throws; neither is the administrator's concern: later statements throw.</summary>
    internal void CancelRunning(GatedTransaction transaction)
    {
        try
        {
            // Pairs with BeginStatement and Forget. The statement first: it belongs to the transaction if that is still the one of the connection afterwards.
            DbCommand? running = Volatile.Read(ref _running);
            if (ReferenceEquals(Volatile.Read(ref _transaction), transaction))
            {
                running?.Cancel();
            }
        }
        catch (Exception)
        {
            // The statement had ended, or the connection is broken: the transaction ends anyway.
        }
    }

    internal void Forget(GatedTransaction transaction)
    {
        // Pairs with itself and with EndTransaction: whoever takes the transaction out of the field ends it.
        if (ReferenceEquals(Interlocked.CompareExchange(ref _transaction, null, transaction), transaction))
        {
            // Pairs with CancelRunning. Not for one that ended earlier: the statement may be the next one's.
            Volatile.Write(ref _running, null);
        }
    }

    /// <inheritdoc/>
    protected override DbTransaction BeginDbTransaction(IsolationLevel isolationLevel)
    {
        ThrowIfClosed();
        ValueTask<RateLimitLease> asked = _gate.AcquireAsync(_request);
        RateLimitLease answer = asked.IsCompletedSuccessfully ? asked.Result : asked.AsTask().GetAwaiter().GetResult();
        TransactionLease lease = Accept(answer);
        try
        {
            OpenInner();
            return Begun(Inner.BeginTransaction(isolationLevel), lease);
        }
        catch
        {
            lease.Dispose();
            throw;
        }
    }

    /// <inheritdoc/>
    protected override ValueTask<DbTransaction> BeginDbTransactionAsync(IsolationLevel isolationLevel, CancellationToken cancellationToken)
    {
        // Not an async method: what it set would not flow to the caller.
        try
        {
            ThrowIfClosed();
            return BeginAsync(_gate.AcquireAsync(_request, cancellationToken), isolationLevel, cancellationToken);
        }
        catch (InvalidOperationException exception)
        {
            return ValueTask.FromException<DbTransaction>(exception);
        }
    }

    private async ValueTask<DbTransaction> BeginAsync(ValueTask<RateLimitLease> asked, IsolationLevel isolationLevel, CancellationToken cancellationToken)
    {
        TransactionLease lease = Accept(await asked.ConfigureAwait(false));
        try
        {
            await OpenInnerAsync(cancellationToken).ConfigureAwait(false);
            return Begun(await Inner.BeginTransactionAsync(isolationLevel, cancellationToken).ConfigureAwait(false), lease);
        }
        catch
        {
            lease.Dispose();
            throw;
        }
    }

    private TransactionLease Accept(RateLimitLease answer) => answer as TransactionLease ?? throw TransactionRefusedException.From(_gate, answer);

    private GatedTransaction Begun(DbTransaction inner, TransactionLease lease)
    {
        var transaction = new GatedTransaction(this, inner, lease);
        _running = null;

        // Pairs with the reads in BeginStatement and CancelRunning.
        Volatile.Write(ref _transaction, transaction);
        return transaction;
    }

    /// <summary>The provider says that the connection is gone: the server knows of no transaction any more, whatever its owner does.</summary>
    private void OnInnerStateChange(object? sender, StateChangeEventArgs change)
    {
        if (change.CurrentState is ConnectionState.Closed or ConnectionState.Broken)
        {
            EndTransaction();
        }
    }

    // Pairs with Forget and with itself.
    private void EndTransaction() => Interlocked.Exchange(ref _transaction, null)?.End();
}
