namespace AdaptivePool.Admission;

/// <summary>
/// The lease of a gate that flows with the async context. One async local holds the leases of all gates. So code that asks whether the caller is inside any
/// transaction reads one async local, however many gates there are. A lease costs hardly more than with an async local for each gate.
/// </summary>
internal sealed class LeaseFlow
{
    /// <summary>A lease, or an array of leases of different gates, which is never changed.</summary>
    private static readonly AsyncLocal<object?> s_leases = new();

    /// <summary>
    /// Never reset. A thread that does not see it yet has no lease in its context either: a context with a lease is captured after this is set.
    /// </summary>
    private static bool s_isUsed;

    /// <summary>
    /// Whether the caller is inside a transaction that holds one of a bounded number of permits. This costs time only where a lease has ever flowed. A hint:
    /// the transaction may end at any time.
    /// </summary>
    public static bool HoldsPermit => s_isUsed && Holder is not null;

    /// <summary>The value in this context, for <see cref="Find"/> and <see cref="Set"/>, so that it is read once.</summary>
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

    /// <summary>Removes a lease whose transaction has ended. For a lease that is not in this context, this has no effect.</summary>
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
    /// Whether an item of the transaction that the caller is inside may go first. The item takes a ticket; if none is left, the transaction gets all of them
    /// back. Of several transactions, the first that holds a permit counts. True where no transaction holds a permit any more.
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
    /// The leases of other gates and this gate's own. Leases that have ended, or were never let in, are left out: otherwise a flow that goes through many
    /// gates would keep them all.
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
