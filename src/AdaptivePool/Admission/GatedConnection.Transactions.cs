using System.Data;
using System.Data.Common;
using System.Threading.RateLimiting;
using AdaptivePool.Internal;

namespace AdaptivePool.Admission;

/// <remarks>Entering and leaving the gate.</remarks>
public sealed partial class GatedConnection
{
    private readonly StatementTurn<RealSync, GatedTransaction, DbCommand> _turn = new();

    private GatedTransaction? OpenTransaction => _turn.Transaction;

    /// <summary>Whether a statement stands for itself, and has to count.</summary>
    internal bool CountsStatement => _options.AutoCommit == AutoCommitHandling.Count && OpenTransaction is null;

    /// <summary>The permit of a statement that stands for itself.</summary>
    /// <param name="isAsync">Whether to wait without a thread. Synchronously it returns a completed task.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    internal async Task<TransactionLease> EnterForStatementAsync(bool isAsync, CancellationToken cancellationToken)
    {
        ThrowIfClosed();
        ValueTask<RateLimitLease> asked = _gate.AcquireAsync(_options.Request, cancellationToken);
        return Accept(isAsync ? await asked.ConfigureAwait(false) : LeaseWait.For(asked));
    }

    /// <summary>A statement threw: unless its transaction commits all the same, it has failed.</summary>
    internal void StatementFailed() => OpenTransaction?.MarkFailed();

    /// <summary>A statement is about to run.</summary>
    /// <exception cref="OperationCanceledException">An administrator has cancelled the transaction.</exception>
    internal void BeginStatement(DbCommand command) => _turn.BeginStatement(command)?.ThrowIfCancelled();

    /// <summary>Ends the statement of a transaction that runs, if one does. A provider without cancellation does nothing or throws; neither is the administrator's concern: later statements throw.</summary>
    internal void CancelRunning(GatedTransaction transaction)
    {
        try
        {
            _turn.RunningOf(transaction)?.Cancel();
        }
        catch (Exception)
        {
            // The statement had ended, or the connection is broken: the transaction ends anyway.
        }
    }

    /// <summary>A statement has rows to come, for which it holds its permit, and which are not closed with the connection when that is kept.</summary>
    /// <param name="inner">The provider's reader.</param>
    /// <param name="lease">The permit of a statement that stands for itself.</param>
    /// <param name="closesConnection">Whether the connection ends with the reader.</param>
    /// <returns>The reader for the user; the provider's own where nothing happens when it is closed.</returns>
    internal DbDataReader Remember(DbDataReader inner, TransactionLease? lease, bool closesConnection)
    {
        DbDataReader reader = lease is null && !closesConnection ? inner : new GatedReader(this, inner, lease, closesConnection);
        if (reader is GatedReader || !ReferenceEquals(Inner, _own))
        {
            _readers.Add(reader);
        }

        return reader;
    }

    /// <summary>A reader was closed.</summary>
    /// <returns>Whether it was not the connection that closed it.</returns>
    internal bool Forget(GatedReader reader) => _readers.Remove(reader);

    /// <summary>Nobody else may get the connection.</summary>
    internal void MarkUnclean() => _isClean = false;

    internal void Forget(GatedTransaction transaction) => _turn.Forget(transaction);

    /// <inheritdoc/>
    protected override DbTransaction BeginDbTransaction(IsolationLevel isolationLevel)
    {
        ThrowIfClosed();
        TransactionLease lease = Accept(LeaseWait.For(_gate.AcquireAsync(_options.Request)));
        try
        {
            OpenInner();
            return Begun(Inner.BeginTransaction(isolationLevel), lease);
        }
        catch
        {
            lease.HasFailed = true;
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
            return BeginAsync(_gate.AcquireAsync(_options.Request, cancellationToken), isolationLevel, cancellationToken);
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
            await OpenInnerAsync(isAsync: true, cancellationToken).ConfigureAwait(false);
            return Begun(await Inner.BeginTransactionAsync(isolationLevel, cancellationToken).ConfigureAwait(false), lease);
        }
        catch
        {
            lease.HasFailed = true;
            lease.Dispose();
            throw;
        }
    }

    private TransactionLease Accept(RateLimitLease answer) => answer as TransactionLease ?? throw TransactionRefusedException.From(_gate, answer);

    private GatedTransaction Begun(DbTransaction inner, TransactionLease lease)
    {
        var transaction = new GatedTransaction(this, inner, lease);
        _turn.Begin(transaction);
        return transaction;
    }

    /// <summary>The provider says that the connection is gone: the server knows of no transaction any more, whatever its owner does.</summary>
    private void OnInnerStateChange(object? sender, StateChangeEventArgs change)
    {
        if (change.CurrentState is ConnectionState.Closed or ConnectionState.Broken)
        {
            // A connection that its user closes rolls back: nothing has failed.
            if (!_isClosing)
            {
                StatementFailed();
            }

            EndTransaction();
            _readers.EndLeases(haveFailed: !_isClosing);
        }
    }

    private void EndTransaction() => _turn.Take()?.End();
}
