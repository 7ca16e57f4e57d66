namespace AdaptivePool.Admission;

/// <summary>One transaction inside the gate: its permit, and what is known about it. Shared by the lease that brought it in and by those nested in it; the permit goes back when the last of them is disposed.</summary>
internal sealed class LeaseHold(TransactionGate gate, in TransactionRequest request, int group, bool takesPermit, TimeSpan since)
{
    private int _leases = 1;
    private CancellationTokenSource? _cancellation;

    public TransactionGate Gate { get; } = gate;

    public TransactionRequest Request { get; } = request;

    public int Group { get; } = group;

    /// <summary>False for one that was let in past the limit.</summary>
    public bool TakesPermit { get; } = takesPermit;

    public TimeSpan Since { get; } = since;

    // Written by LeaseSet under the lock of the stripe.
    public long Id { get; set; }

    public LeaseHold? Previous { get; set; }

    public LeaseHold? Next { get; set; }

    public CancellationToken CancellationToken => Cancellation.Token;

    /// <summary>Created when first asked for: most transactions are never cancelled.</summary>
    private CancellationTokenSource Cancellation
    {
        get
        {
            if (Volatile.Read(ref _cancellation) is { } existing)
            {
                return existing;
            }

            // Pairs with the read above and with itself: of several that ask at once all get the same source.
            var created = new CancellationTokenSource();
            return Interlocked.CompareExchange(ref _cancellation, created, null) ?? created;
        }
    }

    public void Cancel() => Cancellation.Cancel();

    /// <summary>Adds a nested lease; false when the transaction has ended.</summary>
    public bool TryJoin()
    {
        // Pairs with the decrement in Leave: zero is final, so a permit that goes back is never joined.
        int leases = Volatile.Read(ref _leases);
        while (leases > 0)
        {
            int seen = Interlocked.CompareExchange(ref _leases, leases + 1, leases);
            if (seen == leases)
            {
                return true;
            }

            leases = seen;
        }

        return false;
    }

    /// <summary>Ends a lease; the last one gives the permit back.</summary>
    public void Leave()
    {
        // Pairs with TryJoin.
        if (Interlocked.Decrement(ref _leases) == 0)
        {
            Gate.Release(this);
        }
    }
}
