using System.Runtime.CompilerServices;
using System.Transactions;
using AdaptivePool.Data;
using Microsoft.EntityFrameworkCore.Diagnostics;

namespace AdaptivePool.EntityFrameworkCore;

/// <summary>
/// Leads statements outside a transaction through a gate, each as the transaction that it is to the database: those by which a context writes (SaveChanges of
/// one row begins no transaction, nor do ExecuteUpdate and ExecuteDelete), and, if they count, all others. A query holds its permit until its reader is
/// disposed.
/// </summary>
internal sealed class StatementGateInterceptor(TransactionGate gate, TransactionRequest request, AutoCommitHandling autoCommit) : DbCommandInterceptor
{
    /// <summary>The last lease of each command. Weakly keyed: the entry of a command that is lost goes with it.</summary>
    private readonly ConditionalWeakTable<DbCommand, ConnectionLease> _leases = [];

    public override InterceptionResult<DbDataReader> ReaderExecuting(DbCommand command, CommandEventData eventData, InterceptionResult<DbDataReader> result) =>
        Enter(command, eventData, result);

    public override InterceptionResult<object> ScalarExecuting(DbCommand command, CommandEventData eventData, InterceptionResult<object> result) =>
        Enter(command, eventData, result);

    public override InterceptionResult<int> NonQueryExecuting(DbCommand command, CommandEventData eventData, InterceptionResult<int> result) =>
        Enter(command, eventData, result);

    public override ValueTask<InterceptionResult<DbDataReader>> ReaderExecutingAsync(
        DbCommand command, CommandEventData eventData, InterceptionResult<DbDataReader> result, CancellationToken cancellationToken = default) =>
        EnterAsync(command, eventData, result, cancellationToken);

    public override ValueTask<InterceptionResult<object>> ScalarExecutingAsync(
        DbCommand command, CommandEventData eventData, InterceptionResult<object> result, CancellationToken cancellationToken = default) =>
        EnterAsync(command, eventData, result, cancellationToken);

    public override ValueTask<InterceptionResult<int>> NonQueryExecutingAsync(
        DbCommand command, CommandEventData eventData, InterceptionResult<int> result, CancellationToken cancellationToken = default) =>
        EnterAsync(command, eventData, result, cancellationToken);

    public override DbDataReader ReaderExecuted(DbCommand command, CommandExecutedEventData eventData, DbDataReader result) => Reads(command, result);

    public override ValueTask<DbDataReader> ReaderExecutedAsync(
        DbCommand command, CommandExecutedEventData eventData, DbDataReader result, CancellationToken cancellationToken = default) =>
        ValueTask.FromResult(Reads(command, result));

    public override object? ScalarExecuted(DbCommand command, CommandExecutedEventData eventData, object? result) => Ended(command, result);

    public override int NonQueryExecuted(DbCommand command, CommandExecutedEventData eventData, int result) => Ended(command, result);

    public override ValueTask<object?> ScalarExecutedAsync(
        DbCommand command, CommandExecutedEventData eventData, object? result, CancellationToken cancellationToken = default) =>
        ValueTask.FromResult(Ended(command, result));

    public override ValueTask<int> NonQueryExecutedAsync(
        DbCommand command, CommandExecutedEventData eventData, int result, CancellationToken cancellationToken = default) =>
        ValueTask.FromResult(Ended(command, result));

    public override InterceptionResult DataReaderDisposing(DbCommand command, DataReaderDisposingEventData eventData, InterceptionResult result) =>
        Ended(command, result);

    public override void CommandFailed(DbCommand command, CommandErrorEventData eventData) => Failed(command);

    public override Task CommandFailedAsync(DbCommand command, CommandErrorEventData eventData, CancellationToken cancellationToken = default)
    {
        Failed(command);
        return Task.CompletedTask;
    }

    public override void CommandCanceled(DbCommand command, CommandEndEventData eventData) => Failed(command);

    public override Task CommandCanceledAsync(DbCommand command, CommandEndEventData eventData, CancellationToken cancellationToken = default)
    {
        Failed(command);
        return Task.CompletedTask;
    }

    /// <summary>Whether a statement enters the gate. One that another interceptor has answered does not reach the database. One inside a transaction of
    /// System.Transactions would wait at the gate while that transaction holds locks. One without a context fetches keys (HiLo): it would wait while it holds a
    /// lock of the framework, for which a transaction inside the gate may wait.
    /// </summary>
    private bool Counts<T>(DbCommand command, CommandEventData eventData, InterceptionResult<T> result) => command.Transaction is null && !result.HasResult
        && (autoCommit == AutoCommitHandling.Count ? eventData is not { Context: null }
            : eventData.CommandSource is CommandSource.SaveChanges or CommandSource.ExecuteUpdate or CommandSource.ExecuteDelete)
        && !IsEnlisted(eventData);

    private static bool IsEnlisted(CommandEventData eventData)
    {
        try
        {
            return Transaction.Current is not null || (eventData is { Context: { } context } && context.Database.GetEnlistedTransaction() is not null);
        }
        catch (ObjectDisposedException)
        {
            // The framework runs a query that was made before its context was disposed. With that, nothing is enlisted any more.
            return false;
        }
    }

    private InterceptionResult<T> Enter<T>(DbCommand command, CommandEventData eventData, InterceptionResult<T> result)
    {
        if (Counts(command, eventData, result))
        {
            _leases.AddOrUpdate(command, ConnectionLease.Enter(gate, request, command.Connection!, beginner: null));
        }

        return Calls(command, result);
    }

    private async ValueTask<InterceptionResult<T>> EnterAsync<T>(
        DbCommand command, CommandEventData eventData, InterceptionResult<T> result, CancellationToken cancellationToken)
    {
        if (Counts(command, eventData, result))
        {
            _leases.AddOrUpdate(
                command, await ConnectionLease.EnterAsync(gate, request, command.Connection!, beginner: null, cancellationToken).ConfigureAwait(false));
        }

        return Calls(command, result);
    }

    private InterceptionResult<T> Calls<T>(DbCommand command, InterceptionResult<T> result)
    {
        LeaseOf(command)?.IsInCall = !result.HasResult;
        return result;
    }

    private DbDataReader Reads(DbCommand command, DbDataReader result)
    {
        Find(command)?.Reader = result;
        return Called(command, result);
    }

    private T Called<T>(DbCommand command, T result)
    {
        LeaseOf(command)?.IsInCall = false;
        return result;
    }

    private T Ended<T>(DbCommand command, T result)
    {
        Find(command)?.End();
        return Called(command, result);
    }

    /// <summary>The transaction of the command has failed, too, unless it commits all the same.</summary>
    private void Failed(DbCommand command)
    {
        ConnectionLease? lease = LeaseOf(command);
        lease?.IsInCall = false;
        if (command.Transaction is null)
        {
            lease?.End(hasFailed: true);
        }
        else
        {
            lease?.MarkFailed();
        }
    }

    // A provider may return the same command object again: inside a transaction, the command's own lease is an earlier one.
    private ConnectionLease? LeaseOf(DbCommand command) => command.Transaction is { } transaction ? ConnectionLease.Of(gate, transaction) : Find(command);

    private ConnectionLease? Find(DbCommand command) => _leases.TryGetValue(command, out ConnectionLease? lease) ? lease : null;
}
