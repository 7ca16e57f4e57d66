using System.Data;
using System.Data.Common;
using System.Threading.RateLimiting;
using AdaptivePool.Admission;

namespace AdaptivePool.EntityFrameworkCore;

/// <summary>The lease of the transaction or statement of a connection. Ends with the connection too: one that breaks, or that the application closes, is nothing the framework tells interceptors of.</summary>
internal sealed class ConnectionLease
{
    private readonly DbConnection _connection;
    private readonly TransactionLease _lease;

    public ConnectionLease(DbConnection connection, TransactionLease lease)
    {
        _connection = connection;
        _lease = lease;
        connection.StateChange += OnStateChange;
    }

    /// <summary>What a gate has answered.</summary>
    /// <exception cref="TransactionRefusedException">It refuses.</exception>
    public static ConnectionLease Of(TransactionGate gate, RateLimitLease answer, DbConnection connection) =>
        answer is TransactionLease lease ? new ConnectionLease(connection, lease) : throw TransactionRefusedException.From(gate, answer);

    /// <summary>Leaves the gate, the first time.</summary>
    public void End()
    {
        _connection.StateChange -= OnStateChange;
        _lease.Dispose();
    }

    /// <summary>A commit or rollback failed, or the connection broke.</summary>
    public void MarkFailed() => _lease.HasFailed = true;

    private void OnStateChange(object? sender, StateChangeEventArgs change)
    {
        if (change.CurrentState is ConnectionState.Closed or ConnectionState.Broken)
        {
            if (change.CurrentState == ConnectionState.Broken)
            {
                MarkFailed();
            }

            End();
        }
    }
}
