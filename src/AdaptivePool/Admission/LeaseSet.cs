namespace AdaptivePool.Admission;

/// <summary>
/// The transactions inside a gate: holds that are used again, each found and taken without a lock. Grows with the transactions that are inside at once, and
/// keeps its size.
/// </summary>
/// <typeparam name="TSync">The machine or its model.</typeparam>
/// <param name="gate">The gate, for the holds; <see langword="null"/> in tests of a set alone.</param>
/// <param name="capacity">Holds to begin with; a power of two.</param>
internal sealed class LeaseSet<TSync>(GateCore<TSync>? gate, int capacity)
    where TSync : struct, ISync
{
    /// <summary>Holds tried before the set is asked to grow: some cache lines.</summary>
    private const int Probes = 16;

    /// <summary>A larger set grows only when at least one hold in this many is used. Otherwise a search finds a free hold soon.</summary>
    private const int UsedOneIn = 4;
    private readonly SyncLock<TSync> _growing = new();
    private readonly GateCore<TSync>? _gate = gate;
    private LeaseHold<TSync>[] _holds = Grown([], capacity, gate);
    private int _look;

    /// <summary>Transactions let in so far.</summary>
    public long Added => Holds.Sum(static hold => hold.Turns);

    // Pairs with Grow: the runtime publishes the array and its holds with the reference to it.
    private LeaseHold<TSync>[] Holds => TSync.RelaxedRead(ref _holds);

    /// <summary>Adds a transaction.</summary>
    /// <param name="request">The request.</param>
    /// <param name="group">Its group.</param>
    /// <param name="takesPermit">Whether it counts towards the limit.</param>
    /// <param name="since">When it came in, by the gate's coarse clock.</param>
    /// <param name="hint">Where to look first; set to the place after the transaction's. Each thread best keeps its own hint, because the place that it gave
    /// back last is still in its cache.</param>
    /// <returns>Its hold, at its turn.</returns>
    public LeaseHold<TSync> Add(in TransactionRequest request, int group, bool takesPermit, long since, ref int hint)
    {
        LeaseHold<TSync> hold = Claim(ref hint, out long turn);

        // After the claim, whose full fence pairs with the one in ToList: a transaction that reads the number of an earlier look was inside when the next
        // look began.
        hold.Begin(turn, request, group, takesPermit, since, TSync.RelaxedRead(ref _look));
        return hold;
    }

    /// <summary>The hold and the turn that a number names. There may be no such transaction, or it may have ended.</summary>
    public LeaseHold<TSync>? HoldOf(long id, out long turn)
    {
        turn = id >>> LeaseHold<TSync>.IndexBits;
        return Holds.ElementAtOrDefault((int)(id & ((1L << LeaseHold<TSync>.IndexBits) - 1)));
    }

    /// <summary>
    /// The transactions that were inside at one moment and still are. The holds are read one after another. Without the number of the look, the list could
    /// show a transaction that has ended beside one that came in elsewhere after it.
    /// </summary>
    public List<TransactionLeaseInfo> ToList(Func<long, TimeSpan> ageSince)
    {
        // A full fence: pairs with the claim in Add. This is the moment.
        int look = TSync.Increment(ref _look);
        List<TransactionLeaseInfo> inside = [];
        foreach (LeaseHold<TSync> hold in Holds)
        {
            // Compared by their difference, which is right even after an overflow.
            if (hold.Describe(ageSince, out _, out int came) is { } info && look - came > 0)
            {
                inside.Add(info);
            }
        }

        return inside;
    }

    private LeaseHold<TSync> Claim(ref int hint, out long turn)
    {
        while (true)
        {
            LeaseHold<TSync>[] holds = Holds;
            int start = hint;
            for (int i = 0; i < holds.Length; i++)
            {
                if (i == Probes && Grow(holds))
                {
                    break;
                }

                int index = (start + i) & (holds.Length - 1);
                if (holds[index].TryClaim(out turn))
                {
                    // The hint is the place after this one. When the transaction ends, its own place becomes the hint again.
                    hint = index + 1;
                    return holds[index];
                }
            }

            Grow(holds);
        }
    }

    /// <summary>Makes room where that is worth it. Returns false when the set is sparse enough.</summary>
    private bool Grow(LeaseHold<TSync>[] full)
    {
        using SyncLock<TSync>.Holder held = _growing.Hold();
        if (!ReferenceEquals(Holds, full))
        {
            return true;
        }

        if (full.Length > Probes && full.Count(static hold => hold.IsUsed) < full.Length / UsedOneIn)
        {
            return false;
        }

        // Pairs with the read in Holds.
        TSync.RelaxedWrite(ref _holds, Grown(full, full.Length * 2, _gate));
        return true;
    }

    private static LeaseHold<TSync>[] Grown(LeaseHold<TSync>[] holds, int length, GateCore<TSync>? gate) =>
        [.. holds, .. Enumerable.Range(holds.Length, length - holds.Length).Select(index => new LeaseHold<TSync>(index, gate))];
}
