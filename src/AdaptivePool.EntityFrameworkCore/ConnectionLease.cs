using System.Data;
using System.Data.Common;
using System.Runtime.CompilerServices;
using System.Threading.RateLimiting;
using AdaptivePool.Admission;

namespace AdaptivePool.EntityFrameworkCore;

/// <summary>
/// The place in the gate of a transaction or statement of a connection. While a query of the connection holds a permit, that serves what else runs on the
/// connection: nobody who holds one waits for another. Ends with the connection too:
/// one that breaks, or that the application closes, is nothing the framework tells interceptors of.
/// </summary>
internal sealed class ConnectionLease
{
    /// <summary>Weakly keyed: a connection that is lost takes its entry along.</summary>
    private static readonly ConditionalWeakTable<DbConnection, List<ConnectionLease>> s_open = [];

    private readonly TransactionGate _gate;
    private readonly DbConnection _connection;
    private readonly TransactionLease _lease;
    private readonly List<ConnectionLease> _open;

    private ConnectionLease(TransactionGate gate, DbConnection connection, TransactionLease lease)
    {
        _gate = gate;
        _connection = connection;
        _lease = lease;
        _open = s_open.GetOrCreateValue(connection);
        lock (_open)
        {
            _open.Add(this);
        }

        connection.StateChange += OnStateChange;
    }

    /// <summary>Enters the gate. Not an async method: the lease flows to the caller.</summary>
    /// <exception cref="TransactionRefusedException">It refuses.</exception>
    public static ConnectionLease Enter(TransactionGate gate, TransactionRequest request, DbConnection connection) =>
        TryShare(gate, connection) ?? Of(gate, gate.Acquire(request), connection);

    /// <inheritdoc cref="Enter"/>
    public static async ValueTask<ConnectionLease> EnterAsync(
        TransactionGate gate, TransactionRequest request, DbConnection connection, CancellationToken cancellationToken) =>
        TryShare(gate, connection) ?? Of(gate, await gate.AcquireAsync(request, cancellationToken).ConfigureAwait(false), connection);

    /// <summary>Leaves, the first time; the last one that shares the permit gives it back.</summary>
    public void End(bool hasFailed = false)
    {
        _connection.StateChange -= OnStateChange;
        bool isLast;
        lock (_open)
        {
            if (!_open.Remove(this))
            {
                return;
            }

            isLast = !_open.Exists(other => ReferenceEquals(other._lease, _lease));
        }

        if (hasFailed)
        {
            MarkFailed();
        }

        if (isLast)
        {
            _lease.Dispose();
        }
    }

    /// <summary>A commit or rollback failed, or the connection broke.</summary>
    public void MarkFailed() => _lease.HasFailed = true;

    private static ConnectionLease Of(TransactionGate gate, RateLimitLease answer, DbConnection connection) =>
        answer is TransactionLease lease ? new ConnectionLease(gate, connection, lease) : throw TransactionRefusedException.From(gate, answer);

    /// <summary>A connection is used by one at a time: what it shares does not end meanwhile, unless the connection does.</summary>
    private static ConnectionLease? TryShare(TransactionGate gate, DbConnection connection)
    {
        List<ConnectionLease> open = s_open.GetOrCreateValue(connection);
        lock (open)
        {
            return open.Find(lease => ReferenceEquals(lease._gate, gate)) is { } shared ? new ConnectionLease(gate, connection, shared._lease) : null;
        }
    }

    private void OnStateChange(object? sender, StateChangeEventArgs change)
    {
        if (change.CurrentState is ConnectionState.Closed or ConnectionState.Broken)
        {
            End(hasFailed: change.CurrentState == ConnectionState.Broken);
        }
    }
}
