using System.Data;
using System.Data.Common;
using System.Runtime.CompilerServices;
using AdaptivePool.Admission;
using Microsoft.EntityFrameworkCore;
using Microsoft.EntityFrameworkCore.Diagnostics;

namespace AdaptivePool.EntityFrameworkCore;

/// <summary>
/// Leads each transaction of a context through a gate: it enters before the transaction begins and leaves with commit, rollback, a failure of either that ends
/// the transaction, and the end of its connection. Those that SaveChanges begins by itself are among them; statements outside a transaction are another
/// interceptor's.
/// Begins the transaction itself, because nobody would tell that the provider could not.
/// </summary>
/// <remarks>
/// The framework tells nobody that a transaction was disposed without commit or rollback:
/// its permit comes back when its connection closes, which is at once where the framework opened it, or when the connection's next transaction
/// begins. A lease taken by an asynchronous begin does not flow to the caller, because an interceptor is awaited by the framework:
/// a transaction of another context inside it needs a second permit. Can be shared by contexts.
/// </remarks>
internal sealed class TransactionGateInterceptor(TransactionGate gate, TransactionRequest request) : DbTransactionInterceptor
{
    /// <summary>The last of each connection. Weakly keyed: a connection that is lost takes its entry along.</summary>
    private readonly ConditionalWeakTable<DbConnection, ConnectionLease> _leases = [];

    public override InterceptionResult<DbTransaction> TransactionStarting(
        DbConnection connection, TransactionStartingEventData eventData, InterceptionResult<DbTransaction> result)
    {
        Find(connection)?.End();
        _leases.AddOrUpdate(connection, ConnectionLease.Enter(gate, request, connection));
        try
        {
            return result.HasResult ? result : InterceptionResult<DbTransaction>.SuppressWithResult(connection.BeginTransaction(eventData.IsolationLevel));
        }
        catch
        {
            Find(connection)?.End();
            throw;
        }
    }

    public override async ValueTask<InterceptionResult<DbTransaction>> TransactionStartingAsync(
        DbConnection connection, TransactionStartingEventData eventData, InterceptionResult<DbTransaction> result,
        CancellationToken cancellationToken = default)
    {
        Find(connection)?.End();
        _leases.AddOrUpdate(connection, await ConnectionLease.EnterAsync(gate, request, connection, cancellationToken).ConfigureAwait(false));
        try
        {
            return result.HasResult
                ? result
                : InterceptionResult<DbTransaction>.SuppressWithResult(
                    await connection.BeginTransactionAsync(eventData.IsolationLevel, cancellationToken).ConfigureAwait(false));
        }
        catch
        {
            Find(connection)?.End();
            throw;
        }
    }

    public override void TransactionCommitted(DbTransaction transaction, TransactionEndEventData eventData) => Find(eventData)?.End();

    public override Task TransactionCommittedAsync(
        DbTransaction transaction, TransactionEndEventData eventData, CancellationToken cancellationToken = default) => Ended(eventData);

    public override void TransactionRolledBack(DbTransaction transaction, TransactionEndEventData eventData) => Find(eventData)?.End();

    public override Task TransactionRolledBackAsync(
        DbTransaction transaction, TransactionEndEventData eventData, CancellationToken cancellationToken = default) => Ended(eventData);

    public override void TransactionFailed(DbTransaction transaction, TransactionErrorEventData eventData) => EndIfOver(transaction, eventData);

    public override Task TransactionFailedAsync(DbTransaction transaction, TransactionErrorEventData eventData, CancellationToken cancellationToken = default)
    {
        EndIfOver(transaction, eventData);
        return Task.CompletedTask;
    }

    private Task Ended(DbContextEventData eventData)
    {
        Find(eventData)?.End();
        return Task.CompletedTask;
    }

    /// <summary>After a failure, of a savepoint too: the transaction goes on unless the server has ended it, which the provider knows.</summary>
    private void EndIfOver(DbTransaction transaction, TransactionErrorEventData eventData)
    {
        if (eventData.Action is not ("Commit" or "Rollback") || Find(eventData) is not { } lease)
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
            // Some providers say so in this way.
        }

        lease.End();
    }

    // The provider's transaction knows its connection no more once it has ended; the context still does.
    private ConnectionLease? Find(DbContextEventData eventData) => eventData.Context is { } context ? Find(context.Database.GetDbConnection()) : null;

    private ConnectionLease? Find(DbConnection connection) => _leases.TryGetValue(connection, out ConnectionLease? lease) ? lease : null;
}
