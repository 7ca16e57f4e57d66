using System.Threading.RateLimiting;

namespace AdaptivePool.Admission;

/// <summary>
/// The right of a transaction to be inside a <see cref="TransactionGate"/>. Dispose it once, on any thread, after commit or rollback; disposing it again does nothing. A lease that is never disposed keeps its permit.
/// </summary>
public sealed class TransactionLease : RateLimitLease
{
    private readonly LeaseHold _hold;
    private int _disposed;

    internal TransactionLease(LeaseHold hold, bool isNested)
    {
        _hold = hold;
        IsNested = isNested;
    }

    /// <summary>Always true: a refusal is a lease of another kind.</summary>
    public override bool IsAcquired => true;

    /// <summary>Whether the lease was given inside a transaction that was already in the gate: it took no permit, and the transaction's permit goes back when the last of its leases is disposed.</summary>
    public bool IsNested { get; }

    /// <summary>Whether the transaction was let in past the limit.</summary>
    public bool IsPrivileged => !_hold.TakesPermit;

    /// <summary>Number of the transaction, unique in its gate; see <see cref="TransactionLeaseInfo.Id"/>.</summary>
    public long Id => _hold.Id;

    /// <summary>Name that was asked with; <see langword="null"/> when there was none.</summary>
    public string? Name => _hold.Request.Name;

    /// <summary>How long the transaction has been inside the gate.</summary>
    public TimeSpan Age => _hold.Gate.Now - _hold.Since;

    /// <summary>Cancelled by <see cref="TransactionGate.Cancel"/>. Hand it to the commands of the transaction, so that an administrator can end what blocks the gate.</summary>
    public CancellationToken CancellationToken => _hold.CancellationToken;

    /// <summary>Empty: only refusals carry metadata.</summary>
    public override IEnumerable<string> MetadataNames => [];

    /// <summary>Finds nothing: only refusals carry metadata.</summary>
    /// <param name="metadataName">Name of the metadata.</param>
    /// <param name="metadata">Always null.</param>
    /// <returns>Always false.</returns>
    public override bool TryGetMetadata(string metadataName, out object? metadata)
    {
        metadata = null;
        return false;
    }

    /// <summary>Ends the lease, the first time.</summary>
    /// <param name="disposing">True when called by Dispose.</param>
    protected override void Dispose(bool disposing)
    {
        // Pairs with itself: of several that dispose at once, one ends the lease.
        if (disposing && Interlocked.Exchange(ref _disposed, 1) == 0)
        {
            _hold.Leave();
        }
    }
}
