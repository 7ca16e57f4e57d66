using System.Threading.RateLimiting;

namespace AdaptivePool.Admission;

/// <summary>
/// The right of a transaction to be inside a <see cref="TransactionGate"/>. Dispose it once, on any thread, after commit or rollback. Disposing it again has no
/// effect. A lease that is never disposed keeps its permit.
/// </summary>
public sealed class TransactionLease : RateLimitLease
{
    // Not readonly: it changes in place.
    private LeaseKey<RealSync> _key;

    // Where the lease flows; or that and the source of its token, once the token was read, which is rare.
    private object? _flow;

    /// <summary>
    /// Creates a lease for a transaction that may come in later. The lease flows with the context of the caller, and is set there before that.
    /// </summary>
    internal TransactionLease()
    {
    }

    /// <summary>Creates a lease inside the transaction of another lease.</summary>
    internal TransactionLease(LeaseKey<RealSync> nested)
    {
        _key = nested;
    }

    /// <summary>Always true: a refusal is a lease of another type.</summary>
    public override bool IsAcquired => true;

    /// <summary>
    /// Whether the lease was given inside a transaction that was already in the gate. Such a lease took no permit. The transaction's permit is returned when
    /// the last of its leases is disposed.
    /// </summary>
    public bool IsNested => _key.IsNested;

    /// <summary>Whether the transaction entered beyond the limit.</summary>
    public bool IsPrivileged => _key.IsPrivileged;

    /// <summary>The number of the transaction, unique in its gate; see <see cref="TransactionLeaseInfo.Id"/>.</summary>
    public long Id => _key.Hold is { } hold ? hold.IdOf(_key.Turn) : 0;

    /// <summary>The name in the request; <see langword="null"/> if there was none, and after the end of the transaction.</summary>
    public string? Name => Describe()?.Name;

    /// <summary>How long the transaction has been inside the gate, exact to some milliseconds; zero after its end.</summary>
    public TimeSpan Age => Describe()?.Age ?? TimeSpan.Zero;

    /// <summary>
    /// Whether the transaction has failed; false after its end. Default false. An adaptive gate does not count failed transactions when it judges a limit: a
    /// database that is not available refuses a great many transactions per second. The last value before the last lease of the transaction ends is the one
    /// that counts. A gated data source and endpoints behind a gate set it automatically.
    /// </summary>
    public bool HasFailed
    {
        get => _key.Hold?.HasFailed(_key.Turn) == true;
        set => _key.Hold?.SetFailed(_key.Turn, value);
    }

    /// <summary>
    /// A token that <see cref="TransactionGate.Cancel"/> cancels. Pass it to the commands of the transaction, so that an administrator can end a transaction
    /// that blocks the gate. After the end of the transaction it is the token that was read before, or none.
    /// </summary>
    public CancellationToken CancellationToken
    {
        get
        {
            // All threads that ask at once find the same source.
            if (_flow is not CancellableFlow && _key.Hold is { } hold && hold.Gate.CancellationOf(hold, _key.Turn) is { } source)
            {
                _flow = new CancellableFlow(Flow, source);
            }

            return (_flow as CancellableFlow)?.Source.Token ?? CancellationToken.None;
        }
    }

    /// <summary>Empty: only refusals have metadata.</summary>
    public override IEnumerable<string> MetadataNames => [];

    /// <summary>Finds nothing: only refusals have metadata.</summary>
    /// <param name="metadataName">The name of the metadata.</param>
    /// <param name="metadata">Always null.</param>
    /// <returns>Always false.</returns>
    public override bool TryGetMetadata(string metadataName, out object? metadata)
    {
        metadata = null;
        return false;
    }

    /// <summary>What the lease knows of its transaction.</summary>
    internal ref LeaseKey<RealSync> Key => ref _key;

    /// <summary>Where the lease flows; <see langword="null"/> for a lease that does not flow. Set before other threads can find the lease.</summary>
    internal LeaseFlow? Flow
    {
        get => _flow as LeaseFlow ?? (_flow as CancellableFlow)?.Flow;
        set => _flow = value;
    }

    /// <summary>Whether the transaction has ended, and not only this lease of it; or whether it was never let in.</summary>
    internal bool HasEnded => _key.Hold is { } hold ? !IsInside(hold, _key.Turn) : _key.IsGivenUp;

    /// <summary>Whether the transaction is inside and counts towards a limit. A hint: it may end at any time.</summary>
    internal bool HoldsPermit => _key.Hold is { } hold && !_key.IsPrivileged && IsInside(hold, _key.Turn) && hold.Gate.Limit > 0;

    /// <summary>See <see cref="LeaseHold{TSync}.TakesTicket"/>.</summary>
    internal bool TakesTicket(uint tickets) => _key.Hold?.TakesTicket(_key.Turn, tickets) != false;

    /// <summary>Ends the lease at the first call.</summary>
    /// <param name="disposing">True when called by Dispose.</param>
    protected override void Dispose(bool disposing)
    {
        if (disposing && _key.Hold is { } hold && _key.End() is (IsLast: true, IsOuter: true))
        {
            // What the caller does next belongs to no transaction. In other contexts the lease stays, and is found ended.
            TransactionGate.ComeBackTo(hold.Index);
            Flow?.Forget(this);
        }
    }

    private static bool IsInside(LeaseHold<RealSync> hold, long turn) => hold.IsUsed && hold.Turns == turn;

    private TransactionLeaseInfo? Describe() => _key.Hold is { } hold ? hold.Gate.Describe(hold, _key.Turn) : null;

    private sealed record CancellableFlow(LeaseFlow? Flow, CancellationTokenSource Source);
}
