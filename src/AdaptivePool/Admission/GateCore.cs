using System.Threading.RateLimiting;

namespace AdaptivePool.Admission;

/// <summary>
/// The protocol of a <see cref="TransactionGate"/>: which caller is let in, which waits, and which is next. Knows neither tasks nor async contexts, so that the
/// same code runs under the model checker; docs/memory-model.md has its steps.
/// </summary>
/// <typeparam name="TSync">The machine or its model.</typeparam>
internal sealed partial class GateCore<TSync>
    where TSync : struct, ISync
{
    private readonly TransactionGateOptions _options;
    private readonly GateClock _clock;
    private readonly bool _isDivided;
    private readonly LeaseSet<TSync> _leases;

    // Not readonly: it changes in place.
    private PermitWord<TSync> _permits;
    private int _privileged;
    private long _admittedPrivileged;
    private int _disposed;

    /// <summary>Creates the protocol of a gate.</summary>
    /// <param name="options">The settings of the gate. They are valid, and no code changes them.</param>
    /// <param name="clock">The clock of the gate.</param>
    /// <param name="places">The number of transactions that the list has room for before it grows; a power of two.</param>
    public GateCore(TransactionGateOptions options, GateClock clock, int places = 16)
    {
        _options = options;
        _clock = clock;
        _leases = new LeaseSet<TSync>(this, places);
        _isDivided = _options.IsDivided;
        _permits = new PermitWord<TSync>(_options.StartLimit, alwaysSlow: _isDivided);
        _commonGroups = Math.Max(1, _options.GroupCount);
        _namedGroups = _options.GroupWeights.Keys.Index().ToDictionary(static it => it.Item, it => _commonGroups + it.Index, StringComparer.Ordinal);
        int[] weights = [.. Enumerable.Repeat(1, _commonGroups), .. _options.GroupWeights.Values];
        _queues = [.. weights.Select(static _ => new WaiterQueue<TSync>())];
        _heldByGroup = new int[weights.Length];
        _waitingByGroup = new int[weights.Length];
        _shares = new GroupShareRule(weights, _options.BorrowsBetweenGroups);
        _newestFirst = _options.QueueProcessingOrder == QueueProcessingOrder.NewestFirst;
        _overload = new ControlledDelayPolicy(_options.QueueTimeout, _options.OverloadDelay, _options.OverloadInterval);
    }

    public int Limit => _permits.Limit;

    public int Held => _permits.Held;

    /// <summary>Finds the limit; <see langword="null"/> where it is set by hand. Set before the first lease.</summary>
    public TransactionLimitLoop<TSync>? LimitLoop { get; set; }

    /// <summary>The gate's clock.</summary>
    public TimeSpan Now => _clock.Now;

    /// <summary>Whether the gate was closed.</summary>
    // A hint on the fast way. A caller that misses it comes to the lock, because Close forces the slow way, and reads the field under the lock.
    public bool IsDisposed => TSync.RelaxedRead(ref _disposed) != 0;

    /// <summary>Takes a permit on the fast way, without an entry in the list.</summary>
    /// <param name="looksFirst">See <see cref="PermitWord{TSync}.TryTake"/>.</param>
    public bool TryPass(bool looksFirst)
    {
        // A divided gate gives no permits here. Looking first avoids a write to the word.
        if (_permits.TryTake(looksFirst || _isDivided, out bool mustAdmit))
        {
            return true;
        }

        if (mustAdmit)
        {
            LetIn(ended: false);
        }

        return false;
    }

    /// <summary>Gives the permit of a pass back.</summary>
    public void EndPass()
    {
        LimitLoop?.Count(hasFailed: false, inside: null);
        GiveBack(place: null);
    }

    /// <summary>The ways in that need no lock: past the limit, and the fast way.</summary>
    public LeaseHold<TSync>? TryEnter(in TransactionRequest request, ref int hint)
    {
        if (request.Priority == TransactionPriority.Admin || _options.Bypass?.Invoke(request) == true)
        {
            // Statistics: no other memory depends on them.
            TSync.RelaxedIncrement(ref _privileged);
            TSync.Add(ref _admittedPrivileged, 1);
            return _leases.Add(request, group: 0, takesPermit: false, _clock.Coarse, ref hint);
        }

        return TryPass(looksFirst: true) ? _leases.Add(request, group: 0, takesPermit: true, _clock.Coarse, ref hint) : null;
    }

    /// <summary>
    /// Ends a lease of a transaction: its outer lease, where a second call has no effect, or a lease that has joined it, where each call ends one.
    /// </summary>
    /// <param name="hold">The transaction's hold.</param>
    /// <param name="turn">Its turn.</param>
    /// <param name="isOuter">Whether the lease is the one that brought the transaction in.</param>
    /// <returns>Whether it was the last lease of the transaction.</returns>
    public bool Leave(LeaseHold<TSync> hold, long turn, bool isOuter)
    {
        // Read before the hold is left. Afterwards it may belong to another transaction.
        (int group, bool takesPermit, long since) = (hold.Group, hold.TakesPermit, hold.Since);
        if (!hold.Leave(turn, isOuter, out bool hasFailed))
        {
            return false;
        }

        // The transaction is in no list any more. So no list ever shows more transactions than the limit allows.
        if (!takesPermit)
        {
            // A statistic, as where it was counted.
            TSync.RelaxedDecrement(ref _privileged);
            return true;
        }

        LimitLoop?.Count(hasFailed, _clock.AgeOf(since));
        if (_isDivided)
        {
            ReleaseDivided(group);
        }
        else
        {
            GiveBack(hold.Index);
        }

        return true;
    }

    /// <summary>Gives a permit back, and lets in the caller that waits for it.</summary>
    /// <param name="place">The place of the transaction in the list, if it had one. The next transaction gets the same place, which is in the cache of this
    /// processor core.</param>
    private void GiveBack(int? place)
    {
        if (_permits.GiveBack())
        {
            LetIn(ended: true, place);
        }
    }

    private void ReleaseDivided(int group)
    {
        TimeSpan since = _clock.Now;
        using Decisions decisions = Decide();

        // One section of the lock for this and for letting in: between two sections, a newcomer would take the permit that a caller waits for.
        _heldByGroup[group]--;
        _permits.GiveBack();
        LetInLocked(ended: true, since, NowLocked());
    }
}
