namespace AdaptivePool.Admission;

/// <summary>
/// What the gate knows about one transaction inside it. The lease that brought the transaction in and the leases nested in it share the hold. When the last
/// of them has ended, the hold is used again, so that a lease costs no memory beyond itself. Each use is a turn of its own. Code that holds a key of an
/// earlier turn finds that turn closed.
/// </summary>
/// <typeparam name="TSync">The machine or its model.</typeparam>
/// <param name="index">Which hold of its set it is.</param>
/// <param name="gate">The gate; <see langword="null"/> in tests of a hold alone.</param>
internal sealed class LeaseHold<TSync>(int index, GateCore<TSync>? gate)
    where TSync : struct, ISync
{
    /// <summary>Bits of a number that say which hold of its set it is.</summary>
    public const int IndexBits = 24;
    private const int TurnShift = 24;

    /// <summary>Bits for the tickets that a turn has taken. The other bits hold the lowest bits of the turn.</summary>
    private const int TicketBits = 32;

    /// <summary>Turns are counted in the remaining bits of the word, and start again after about 10^12.</summary>
    private const long TurnMask = (1L << (64 - TurnShift)) - 1;

    /// <summary>The lease that brought the transaction in is not disposed.</summary>
    private const long Outer = 1;

    /// <summary>The transaction has failed. Part of the word, so that the last lease to end sees what all earlier leases have set.</summary>
    private const long Failed = 2;

    /// <summary>One nested lease.</summary>
    private const long Nested = 4;
    private const long NestedMask = (1L << (TurnShift - 1)) - Nested;

    /// <summary>Taken, but not filled in yet.</summary>
    private const long Claimed = 1L << (TurnShift - 1);
    private const long UseMask = Outer | NestedMask | Claimed;

    /// <summary>
    /// The number of tickets taken, and the turn that took them. So a turn begins with all tickets, and a transaction that takes none pays nothing.
    /// </summary>
    private long _taken;
    private long _word;
    private TransactionRequest _request;
    private long _since;
    private int _look;
    private int _group;
    private CancellationTokenSource? _cancellation;

    /// <summary>Which hold of its set it is.</summary>
    public int Index => index;

    /// <summary>The gate, so that a lease need not remember it.</summary>
    public GateCore<TSync> Gate => gate!;

    /// <summary>The group of the transaction. Valid for code that holds a lease of the transaction.</summary>
    public int Group => TSync.Read(ref _group);

    /// <summary>When the transaction came in, by the gate's coarse clock. Valid for code that holds a lease of the transaction.</summary>
    public long Since => _since;

    /// <summary>False for a transaction that was let in past the limit.</summary>
    public bool TakesPermit { get; private set; }

    /// <summary>Transactions so far.</summary>
    public long Turns => TSync.RelaxedRead(ref _word) >>> TurnShift;

    /// <summary>Whether a transaction has the hold. A guess: it may change at any time.</summary>
    public bool IsUsed => (TSync.RelaxedRead(ref _word) & UseMask) != 0;

    /// <summary>Takes the hold if no transaction has it.</summary>
    public bool TryClaim(out long turn)
    {
        long word = TSync.RelaxedRead(ref _word);
        turn = ((word >>> TurnShift) + 1) & TurnMask;

        // Pairs with itself: of several threads that come at once, one gets the hold; and with Leave, after which no code reads the fields of the earlier
        // turn as its own.
        return (word & UseMask) == 0 && TSync.CompareExchange(ref _word, (turn << TurnShift) | Claimed, word) == word;
    }

    /// <summary>Fills in a claimed hold and makes it known.</summary>
    /// <param name="turn">What <see cref="TryClaim"/> gave.</param>
    /// <param name="request">The request.</param>
    /// <param name="group">Its group.</param>
    /// <param name="takesPermit">Whether it counts towards the limit.</param>
    /// <param name="since">When it came in, by the gate's coarse clock.</param>
    /// <param name="look">The last look at the set that came too early to see the transaction.</param>
    public void Begin(long turn, in TransactionRequest request, int group, bool takesPermit, long since, int look)
    {
        TSync.Write(ref _request, request);
        _since = since;
        TSync.Write(ref _look, look);
        TSync.Write(ref _group, group);
        TakesPermit = takesPermit;
        if (_cancellation is not null)
        {
            _cancellation = null;
        }

        // Release: pairs with the read in Describe and with the update in TryJoin, so that they see the fields of this turn.
        TSync.VolatileWrite(ref _word, (turn << TurnShift) | Outer);
    }

    /// <summary>Adds a nested lease; false when the transaction has ended.</summary>
    public bool TryJoin(long turn)
    {
        long word = TSync.RelaxedRead(ref _word);
        while (word >>> TurnShift == turn && (word & UseMask) is not 0 and not Claimed && (word & NestedMask) != NestedMask)
        {
            // Pairs with Leave: a turn without uses gets no more uses, so a transaction whose permit goes back is never joined.
            long seen = TSync.OrderedCompareExchange(ref _word, word + Nested, word);
            if (seen == word)
            {
                return true;
            }

            word = seen;
        }

        return false;
    }

    /// <summary>See <see cref="TransactionLease.HasFailed"/>; false after the end of the transaction.</summary>
    public bool HasFailed(long turn) => TSync.RelaxedRead(ref _word) is var word && word >>> TurnShift == turn && (word & UseMask) != 0 && (word & Failed) != 0;

    /// <summary>Sets whether the transaction has failed. After its end this has no effect.</summary>
    public void SetFailed(long turn, bool hasFailed)
    {
        long word = TSync.RelaxedRead(ref _word);
        while (word >>> TurnShift == turn && (word & UseMask) != 0)
        {
            // Atomicity only: the update that ends the last lease reads the flag from the word. The flag of the next turn cannot be changed, because the turn
            // is part of the word.
            long seen = TSync.RelaxedCompareExchange(ref _word, hasFailed ? word | Failed : word & ~Failed, word);
            if (seen == word)
            {
                return;
            }

            word = seen;
        }
    }

    /// <summary>
    /// Takes a ticket of the transaction. If none is left, gives all of them back. An item that comes while its transaction ends may get a ticket of the next
    /// turn. This affects only the order of items.
    /// </summary>
    /// <param name="turn">The turn.</param>
    /// <param name="tickets">How many each turn has.</param>
    /// <returns>Whether there was a ticket.</returns>
    public bool TakesTicket(long turn, uint tickets)
    {
        long word = TSync.RelaxedRead(ref _taken);
        while (true)
        {
            uint taken = (uint)(word >>> TicketBits) == (uint)turn ? (uint)word : 0;
            bool takes = taken < tickets;

            // Atomicity only: each of several items that come at once takes a ticket of its own.
            long seen = TSync.RelaxedCompareExchange(ref _taken, (turn << TicketBits) | (takes ? taken + 1 : 0), word);
            if (seen == word)
            {
                return takes;
            }

            word = seen;
        }
    }

    /// <summary>Ends the lease that brought the transaction in, at the first call; or a nested lease, one at each call.</summary>
    /// <param name="turn">The turn.</param>
    /// <param name="isOuter">Whether the lease is the one that brought the transaction in.</param>
    /// <param name="hasFailed">Whether the transaction has failed; final for its last lease.</param>
    /// <returns>Whether it was the last lease of the transaction.</returns>
    public bool Leave(long turn, bool isOuter, out bool hasFailed)
    {
        (long one, long all) = isOuter ? (Outer, Outer) : (Nested, NestedMask);
        hasFailed = false;
        long word = TSync.RelaxedRead(ref _word);
        while (word >>> TurnShift == turn && (word & all) != 0)
        {
            // A plain read, in no order with the word. It may miss a source that another thread of the transaction created a moment ago. Callbacks that were
            // registered there then stay until the next turn, which begins without that source.
            bool isLast = ((word - one) & UseMask) == 0;
            CancellationTokenSource? used = isLast ? _cancellation : null;

            // Pairs with itself: of several threads that dispose the lease at once, one ends it; and with TryJoin and TryClaim.
            long seen = TSync.OrderedCompareExchange(ref _word, word - one, word);
            if (seen == word)
            {
                hasFailed = (word & Failed) != 0;
                if (used is not null)
                {
                    // Callbacks that were registered there must not live until another transaction comes to this place, which may never happen. If one has
                    // come in the meantime and has a source of its own, that source stays.
                    TSync.RelaxedCompareExchange(ref _cancellation, null, used);
                }

                return isLast;
            }

            word = seen;
        }

        return false;
    }

    /// <summary>The number of the transaction that has a turn of this hold.</summary>
    public long IdOf(long turn) => (turn << IndexBits) | (uint)index;

    /// <summary>The transaction that has the hold.</summary>
    /// <param name="ageSince">Turns a stamp of the gate's coarse clock into an age.</param>
    /// <param name="turn">Its turn.</param>
    /// <param name="look">The last look that came too early to see the transaction.</param>
    /// <returns>The description; <see langword="null"/> when no transaction has the hold, or when another transaction took it in the meantime.</returns>
    public TransactionLeaseInfo? Describe(Func<long, TimeSpan> ageSince, out long turn, out int look)
    {
        // Acquire: pairs with the release in Begin.
        long word = TSync.VolatileRead(ref _word);
        turn = word >>> TurnShift;
        look = 0;
        if ((word & (Outer | NestedMask)) == 0)
        {
            return null;
        }

        TransactionRequest request = TSync.Read(ref _request);
        look = TSync.Read(ref _look);
        long since = _since;
        bool isPrivileged = !TakesPermit;

        // Pairs with the update in TryClaim: when the turn is still the same, the fields were those of this turn.
        TSync.Fence();
        return TSync.RelaxedRead(ref _word) >>> TurnShift != turn ? null
            : new TransactionLeaseInfo
            {
                Id = IdOf(turn),
                Name = request.Name,
                Partition = request.Partition,
                Priority = request.Priority,
                Age = ageSince(since),
                IsPrivileged = isPrivileged,
            };
    }

    /// <summary>
    /// The source that an administrator cancels. It is created at the first request, because most transactions are never cancelled. Only code that has joined
    /// the transaction may call this, so that the turn does not end.
    /// </summary>
    public CancellationTokenSource Cancellation()
    {
        // All threads that ask at once get the same source. The runtime publishes the contents of the source with the reference to it.
        if (TSync.RelaxedRead(ref _cancellation) is { } existing)
        {
            return existing;
        }

        var created = new CancellationTokenSource();
        return TSync.RelaxedCompareExchange(ref _cancellation, created, null) ?? created;
    }
}
