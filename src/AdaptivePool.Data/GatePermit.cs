using AdaptivePool.Internal;

namespace AdaptivePool.Data;

/// <summary>The permit of a transaction, or of a statement that stands for itself until it has ended or its reader is closed.
/// An administrator who cancels it ends the statement that runs.</summary>
/// <param name="lease">The place in the gate; <see langword="null"/> for a transaction that did not enter it.</param>
/// <param name="cancel">Ends the statement that runs, if one does.</param>
internal sealed class GatePermit(TransactionLease? lease, Action cancel)
{
    // A provider without cancellation does nothing or throws; neither is the administrator's concern: later statements throw.
    private readonly CancellationTokenRegistration _registration =
        lease?.CancellationToken.UnsafeRegister(static state => ProviderCalls.Quietly((Action)state!), cancel) ?? default;

    public TransactionLease? Lease => lease;

    /// <summary>Called where the transaction would go on.</summary>
    /// <exception cref="OperationCanceledException">An administrator has cancelled it.</exception>
    public void ThrowIfCancelled()
    {
        if (lease?.CancellationToken.IsCancellationRequested == true)
        {
            throw new OperationCanceledException("The transaction was cancelled by an administrator of its gate.", lease.CancellationToken);
        }
    }

    /// <summary>The transaction or statement has ended or is about to. Waits for a cancellation that runs, so that it does not reach the connection's next one.
    /// Synchronously it returns a completed task.</summary>
    public ValueTask SettleAsync(bool isAsync) => _registration.DisposeAsync(isAsync);

    /// <summary>A statement, a reader, the end of the transaction or the connection failed.</summary>
    public void MarkFailed() => lease?.HasFailed = true;

    /// <summary>The first call leaves the gate.</summary>
    public void End(bool hasFailed)
    {
        if (hasFailed)
        {
            MarkFailed();
        }

        RealSync.Unregister(_registration);
        lease?.Dispose();
    }
}
