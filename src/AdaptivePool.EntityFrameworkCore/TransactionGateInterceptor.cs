using System.Data;
using Microsoft.EntityFrameworkCore.Diagnostics;

namespace AdaptivePool.EntityFrameworkCore;

/// <summary>
/// Leads each transaction of a context through a gate: it enters before the transaction begins and leaves with commit, rollback, a failure of either that ends
/// the transaction, its dispose, and the end of its connection. Those that SaveChanges begins by itself are among them; <see cref="StatementGateInterceptor"/>
/// handles statements outside a transaction, and <see cref="DisposedTransactions"/> observes a dispose. This interceptor begins the transaction itself, because
/// the framework would not report that the provider could not begin it.
/// </summary>
/// <remarks>
/// A transaction that the framework never gets, because an interceptor behind this one throws in TransactionStarting, is rolled back and gives its permit back
/// when its connection closes, which is at once where the framework opened it, or when the same context begins its next transaction.
/// A lease taken by an asynchronous begin does not flow to the caller, because an interceptor is awaited by the framework:
/// a transaction of another context inside it needs a second permit. Can be shared by contexts.
/// </remarks>
internal sealed class TransactionGateInterceptor(TransactionGate gate, TransactionRequest request) : DbTransactionInterceptor
{
    public override InterceptionResult<DbTransaction> TransactionStarting(
        DbConnection connection, TransactionStartingEventData eventData, InterceptionResult<DbTransaction> result)
    {
        if (NeedsNoPermit(result))
        {
            return result;
        }

        ConnectionLease? lease = null;
        try
        {
            lease = ConnectionLease.Enter(gate, request, connection, Beginner(eventData));
            lease.IsInCall = !result.HasResult;
            return Begun(lease, eventData, result, result.HasResult ? result.Result : connection.BeginTransaction(eventData.IsolationLevel));
        }
        catch
        {
            Abandon(lease, result);
            CloseIfOpenedForThisAsync(connection, eventData.Context, isAsync: false).GetAwaiter().GetResult();
            throw;
        }
    }

    public override async ValueTask<InterceptionResult<DbTransaction>> TransactionStartingAsync(
        DbConnection connection, TransactionStartingEventData eventData, InterceptionResult<DbTransaction> result,
        CancellationToken cancellationToken = default)
    {
        if (NeedsNoPermit(result))
        {
            return result;
        }

        ConnectionLease? lease = null;
        try
        {
            lease = await ConnectionLease.EnterAsync(gate, request, connection, Beginner(eventData), cancellationToken).ConfigureAwait(false);
            lease.IsInCall = !result.HasResult;
            return Begun(lease, eventData, result, result.HasResult ? result.Result
                : await connection.BeginTransactionAsync(eventData.IsolationLevel, cancellationToken).ConfigureAwait(false));
        }
        catch
        {
            Abandon(lease, result);
            await CloseIfOpenedForThisAsync(connection, eventData.Context, isAsync: true).ConfigureAwait(false);
            throw;
        }
    }

    public override DbTransaction TransactionStarted(DbConnection connection, TransactionEndEventData eventData, DbTransaction result)
    {
        ConnectionLease.TakeOver(gate, connection, Beginner(eventData));
        return result;
    }

    public override ValueTask<DbTransaction> TransactionStartedAsync(
        DbConnection connection, TransactionEndEventData eventData, DbTransaction result, CancellationToken cancellationToken = default)
    {
        ConnectionLease.TakeOver(gate, connection, Beginner(eventData));
        return ValueTask.FromResult(result);
    }

    public override InterceptionResult TransactionCommitting(DbTransaction transaction, TransactionEventData eventData, InterceptionResult result) =>
        Calls(transaction, result);

    public override ValueTask<InterceptionResult> TransactionCommittingAsync(
        DbTransaction transaction, TransactionEventData eventData, InterceptionResult result, CancellationToken cancellationToken = default) =>
        ValueTask.FromResult(Calls(transaction, result));

    public override InterceptionResult TransactionRollingBack(DbTransaction transaction, TransactionEventData eventData, InterceptionResult result) =>
        Calls(transaction, result);

    public override ValueTask<InterceptionResult> TransactionRollingBackAsync(
        DbTransaction transaction, TransactionEventData eventData, InterceptionResult result, CancellationToken cancellationToken = default) =>
        ValueTask.FromResult(Calls(transaction, result));

    public override void TransactionCommitted(DbTransaction transaction, TransactionEndEventData eventData) => Find(transaction)?.Commit();

    public override Task TransactionCommittedAsync(
        DbTransaction transaction, TransactionEndEventData eventData, CancellationToken cancellationToken = default)
    {
        Find(transaction)?.Commit();
        return Task.CompletedTask;
    }

    public override void TransactionRolledBack(DbTransaction transaction, TransactionEndEventData eventData) => Find(transaction)?.End();

    public override Task TransactionRolledBackAsync(
        DbTransaction transaction, TransactionEndEventData eventData, CancellationToken cancellationToken = default)
    {
        Find(transaction)?.End();
        return Task.CompletedTask;
    }

    public override InterceptionResult CreatingSavepoint(DbTransaction transaction, TransactionEventData eventData, InterceptionResult result) =>
        Calls(transaction, result);

    public override ValueTask<InterceptionResult> CreatingSavepointAsync(
        DbTransaction transaction, TransactionEventData eventData, InterceptionResult result, CancellationToken cancellationToken = default) =>
        ValueTask.FromResult(Calls(transaction, result));

    public override void CreatedSavepoint(DbTransaction transaction, TransactionEventData eventData) => Called(transaction);

    public override Task CreatedSavepointAsync(DbTransaction transaction, TransactionEventData eventData, CancellationToken cancellationToken = default) =>
        CalledAsync(transaction);

    public override InterceptionResult RollingBackToSavepoint(DbTransaction transaction, TransactionEventData eventData, InterceptionResult result) =>
        Calls(transaction, result);

    public override ValueTask<InterceptionResult> RollingBackToSavepointAsync(
        DbTransaction transaction, TransactionEventData eventData, InterceptionResult result, CancellationToken cancellationToken = default) =>
        ValueTask.FromResult(Calls(transaction, result));

    public override void RolledBackToSavepoint(DbTransaction transaction, TransactionEventData eventData) => Called(transaction);

    public override Task RolledBackToSavepointAsync(DbTransaction transaction, TransactionEventData eventData, CancellationToken cancellationToken = default) =>
        CalledAsync(transaction);

    public override InterceptionResult ReleasingSavepoint(DbTransaction transaction, TransactionEventData eventData, InterceptionResult result) =>
        Calls(transaction, result);

    public override ValueTask<InterceptionResult> ReleasingSavepointAsync(
        DbTransaction transaction, TransactionEventData eventData, InterceptionResult result, CancellationToken cancellationToken = default) =>
        ValueTask.FromResult(Calls(transaction, result));

    public override void ReleasedSavepoint(DbTransaction transaction, TransactionEventData eventData) => Called(transaction);

    public override Task ReleasedSavepointAsync(DbTransaction transaction, TransactionEventData eventData, CancellationToken cancellationToken = default) =>
        CalledAsync(transaction);

    public override void TransactionFailed(DbTransaction transaction, TransactionErrorEventData eventData) => EndIfOver(transaction, eventData);

    public override Task TransactionFailedAsync(DbTransaction transaction, TransactionErrorEventData eventData, CancellationToken cancellationToken = default)
    {
        EndIfOver(transaction, eventData);
        return Task.CompletedTask;
    }

    /// <summary>Whether another interceptor has led the transaction through the gate, because a context may be configured twice with the gate; or whether it
    /// begins inside a transaction of System.Transactions, which would hold its locks during the wait at the gate. Most providers refuse the latter, and the
    /// framework does so for them.</summary>
    private bool NeedsNoPermit(InterceptionResult<DbTransaction> result) =>
        System.Transactions.Transaction.Current is not null || (result.HasResult && Find(result.Result) is not null);

    /// <summary>The gate threw, or the provider could not begin, which counts as a failure. A transaction that another gate has begun before this one would
    /// stay open, and keep the permit of that gate.</summary>
    private static void Abandon(ConnectionLease? lease, InterceptionResult<DbTransaction> result)
    {
        lease?.End(hasFailed: lease.IsInCall);
        if (result.HasResult)
        {
            ConnectionLease.Abandon(result.Result);
        }
    }

    /// <summary>The context that begins the transaction. A context begins one at a time, also if a pool of contexts hands it out again.</summary>
    private static Guid Beginner(DbContextEventData eventData) => eventData.Context?.ContextId.InstanceId ?? Guid.Empty;

    private static InterceptionResult<DbTransaction> Begun(
        ConnectionLease lease, TransactionStartingEventData eventData, InterceptionResult<DbTransaction> result, DbTransaction begun)
    {
        lease.IsInCall = false;
        lease.Begun(begun, eventData.TransactionId, orphanOf: result.HasResult ? null : Beginner(eventData));
        return result.HasResult ? result : InterceptionResult<DbTransaction>.SuppressWithResult(begun);
    }

    /// <summary>Closes the connection that the framework leaves open for a transaction that did not begin. If it is open for other code too, it stays open.
    /// Synchronously it returns a completed task.</summary>
    private static async Task CloseIfOpenedForThisAsync(DbConnection connection, DbContext? context, bool isAsync)
    {
        try
        {
            if (context?.Database is not { } database)
            {
                return;
            }

            if (isAsync)
            {
                await database.CloseConnectionAsync().ConfigureAwait(false);
            }
            else
            {
                database.CloseConnection();
            }

            if (connection.State == ConnectionState.Open)
            {
                // This call only raises the framework's count: SaveChanges closes once more after this failure, and must not close a connection that other code
                // opened before.
                database.OpenConnection();
            }
        }
        catch (ObjectDisposedException)
        {
            // The context was disposed meanwhile, and its connection with it.
        }
    }

    /// <summary>After a failure, of a savepoint too: the transaction goes on unless the server has ended it, which the provider knows.</summary>
    private void EndIfOver(DbTransaction transaction, TransactionErrorEventData eventData)
    {
        if (Find(transaction) is not { } lease)
        {
            return;
        }

        lease.IsInCall = false;
        if (eventData.Action is not ("Commit" or "Rollback"))
        {
            return;
        }

        lease.MarkFailed();
        try
        {
            if (transaction.Connection is { } connection && connection.State.HasFlag(ConnectionState.Open))
            {
                return;
            }
        }
        catch (ObjectDisposedException)
        {
            // Some providers report the end in this way.
        }

        lease.End();
    }

    private InterceptionResult Calls(DbTransaction transaction, InterceptionResult result)
    {
        Find(transaction)?.IsInCall = !result.IsSuppressed;
        return result;
    }

    private void Called(DbTransaction transaction) => Find(transaction)?.IsInCall = false;

    private Task CalledAsync(DbTransaction transaction)
    {
        Called(transaction);
        return Task.CompletedTask;
    }

    private ConnectionLease? Find(DbTransaction transaction) => ConnectionLease.Of(gate, transaction);
}
