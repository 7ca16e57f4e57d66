using AdaptivePool.Admission;

namespace AdaptivePool.Data;

/// <summary>The permit of a statement that stands for itself, until it has ended or its reader is closed.
/// An administrator who cancels it ends the statement.</summary>
internal sealed class StatementPermit(TransactionLease lease, GatedStatement statement)
{
    private readonly CancellationTokenRegistration _registration =
        lease.CancellationToken.UnsafeRegister(static state => ProviderCalls.Quietly(((GatedStatement)state!).Cancel), statement);

    /// <summary>The same permit for what else runs on the connection meanwhile; <see langword="null"/> once it has gone back.</summary>
    public TransactionLease? TryNest(TransactionGate gate) => gate.TryNest(lease);

    /// <inheritdoc cref="ThrowIfCancelled(TransactionLease)"/>
    public void ThrowIfCancelled() => ThrowIfCancelled(lease);

    /// <summary>Where the transaction would go on.</summary>
    /// <exception cref="OperationCanceledException">An administrator has cancelled it.</exception>
    public static void ThrowIfCancelled(TransactionLease lease)
    {
        if (lease.CancellationToken.IsCancellationRequested)
        {
            throw new OperationCanceledException("The transaction was cancelled by an administrator of its gate.", lease.CancellationToken);
        }
    }

    /// <summary>The statement or its reader threw.</summary>
    public void MarkFailed() => lease.HasFailed = true;

    /// <summary>The statement is about to end: who is cancelling it is waited for, so that it does not reach the connection's next one.
    /// Synchronously it returns a completed task.</summary>
    public ValueTask SettleAsync(bool isAsync) => _registration.DisposeAsync(isAsync);

    /// <summary>Leaves the gate, the first time.</summary>
    public void End()
    {
        _registration.Unregister();
        lease.Dispose();
    }
}
