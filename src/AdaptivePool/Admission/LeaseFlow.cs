namespace AdaptivePool.Admission;

/// <summary>
/// The lease of a gate that flows with the async context. Those of all gates are in one async local: whoever wants to know whether the caller is inside any
/// transaction reads one, however many gates there are; and it costs a lease hardly more than one of its gate's own.
/// </summary>
internal sealed class LeaseFlow
{
    /// <summary>A lease, or an array of leases of different gates, which is never changed.</summary>
    private static readonly AsyncLocal<object?> s_leases = new();

    /// <summary>Never taken back. Who does not see it yet has no lease in its context either: that was captured after this was set.</summary>
    private static bool s_isUsed;

    /// <summary>
    /// Whether the caller is inside a transaction that holds one of a bounded number of permits. For a price only where a lease ever flowed; a hint: the
    /// transaction may end at any time.
    /// </summary>
    public static bool HoldsPermit => s_isUsed && Holder is not null;

    /// <summary>What is in this context: for the two below, so that it is read once.</summary>
    public static object? Present => s_leases.Value;

    /// <summary>The gate's lease in a context; it may have ended, or not yet begun.</summary>
    public TransactionLease? Find(object? present) => present switch
    {
        TransactionLease lease => ReferenceEquals(lease.Flow, this) ? lease : null,
        TransactionLease[] leases => FindOwn(leases),
        _ => null,
    };

    /// <summary>Puts the gate's lease into this context.</summary>
    public void Set(TransactionLease value, object? present)
    {
        value.Flow = this;
        if (!s_isUsed)
        {
            s_isUsed = true;
        }

        s_leases.Value = present is null || (present is TransactionLease lease && ReferenceEquals(lease.Flow, this)) ? value : Join(present, value);
    }

    /// <summary>The transaction of a lease has ended. One that is not in this context changes nothing.</summary>
    public void Forget(TransactionLease lease)
    {
        object? present = s_leases.Value;
        if (ReferenceEquals(present, lease))
        {
            s_leases.Value = null;
        }
        else if (present is TransactionLease[] leases && leases.Contains(lease))
        {
            s_leases.Value = Join(leases, own: null);
        }
    }

    /// <summary>
    /// Whether an item of the transaction that the caller is inside of may go first: it takes a ticket, or the transaction has them all anew. Of several the
    /// first that holds a permit. True where none does any more.
    /// </summary>
    /// <param name="tickets">How many a transaction has; 1 or more.</param>
    public static bool TakesTicket(uint tickets) => Holder?.TakesTicket(tickets) ?? true;

    private static TransactionLease? Holder => s_leases.Value switch
    {
        TransactionLease { HoldsPermit: true } lease => lease,
        TransactionLease[] leases => Array.Find(leases, static lease => lease.HoldsPermit),
        _ => null,
    };

    /// <summary>A loop, because a closure would cost memory with each look.</summary>
    private TransactionLease? FindOwn(TransactionLease[] leases)
    {
        foreach (TransactionLease lease in leases)
        {
            if (ReferenceEquals(lease.Flow, this))
            {
                return lease;
            }
        }

        return null;
    }

    /// <summary>
    /// The leases of other gates and this one's. Those that have ended, or were never let in, are left out: a flow that goes through many gates would keep them
    /// all.
    /// </summary>
    private object? Join(object present, TransactionLease? own)
    {
        TransactionLease[] all =
        [
            .. (present as TransactionLease[] ?? [(TransactionLease)present]).Where(lease => !ReferenceEquals(lease.Flow, this) && !lease.HasEnded),
            .. own is null ? [] : new[] { own },
        ];
        return all.Length switch
        {
            0 => null,
            1 => all[0],
            _ => all,
        };
    }
}
