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
internal sealed class TransactionGateInterceptor(TransactionGate gate, TransactionRequest request) : DbTransactionInterceptor, IDbConnectionInterceptor
{
    /// <summary>Weakly keyed: a connection that is lost takes its entry along.</summary>
    private readonly ConditionalWeakTable<DbConnection, ConnectionLease> _leases = [];

    public override InterceptionResult<DbTransaction> TransactionStarting(
        DbConnection connection, TransactionStartingEventData eventData, InterceptionResult<DbTransaction> result)
    {
        End(connection);
        _leases.AddOrUpdate(connection, ConnectionLease.Enter(gate, request, connection));
        try
        {
            return result.HasResult ? result : InterceptionResult<DbTransaction>.SuppressWithResult(connection.BeginTransaction(eventData.IsolationLevel));
        }
        catch
        {
            End(connection);
            throw;
        }
    }

    public override async ValueTask<InterceptionResult<DbTransaction>> TransactionStartingAsync(
        DbConnection connection, TransactionStartingEventData eventData, InterceptionResult<DbTransaction> result,
        CancellationToken cancellationToken = default)
    {
        End(connection);
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
            End(connection);
            throw;
        }
    }

    public override void TransactionCommitted(DbTransaction transaction, TransactionEndEventData eventData) => End(eventData);

    public override Task TransactionCommittedAsync(
        DbTransaction transaction, TransactionEndEventData eventData, CancellationToken cancellationToken = default) => Ended(eventData);

    public override void TransactionRolledBack(DbTransaction transaction, TransactionEndEventData eventData) => End(eventData);

    public override Task TransactionRolledBackAsync(
        DbTransaction transaction, TransactionEndEventData eventData, CancellationToken cancellationToken = default) => Ended(eventData);

    public override void TransactionFailed(DbTransaction transaction, TransactionErrorEventData eventData) => EndIfOver(transaction, eventData);

    public override Task TransactionFailedAsync(DbTransaction transaction, TransactionErrorEventData eventData, CancellationToken cancellationToken = default)
    {
        EndIfOver(transaction, eventData);
        return Task.CompletedTask;
    }

    public void ConnectionClosed(DbConnection connection, ConnectionEndEventData eventData) => End(connection);

    public Task ConnectionClosedAsync(DbConnection connection, ConnectionEndEventData eventData)
    {
        End(connection);
        return Task.CompletedTask;
    }

    public void ConnectionDisposed(DbConnection connection, ConnectionEndEventData eventData) => End(connection);

    public Task ConnectionDisposedAsync(DbConnection connection, ConnectionEndEventData eventData)
    {
        End(connection);
        return Task.CompletedTask;
    }

    private Task Ended(DbContextEventData eventData)
    {
        End(eventData);
        return Task.CompletedTask;
    }

    /// <summary>After a failure, of a savepoint too: the transaction goes on unless the server has ended it, which the provider knows.</summary>
    private void EndIfOver(DbTransaction transaction, TransactionErrorEventData eventData)
    {
        if (eventData.Action is not ("Commit" or "Rollback"))
        {
            return;
        }

        if (eventData.Context?.Database.GetDbConnection() is { } own && _leases.TryGetValue(own, out var lease))
        {
            lease.MarkFailed();
        }

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

        End(eventData);
    }

    // The provider's transaction knows its connection no more once it has ended; the context still does.
    private void End(DbContextEventData eventData)
    {
        if (eventData.Context is { } context)
        {
            End(context.Database.GetDbConnection());
        }
    }

    private void End(DbConnection connection)
    {
        if (_leases.TryGetValue(connection, out var lease))
        {
            _leases.Remove(connection);
            lease.End();
        }
    }
}
