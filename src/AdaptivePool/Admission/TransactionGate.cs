using System.Threading.RateLimiting;

namespace AdaptivePool.Admission;

/// <summary>
/// Lets at most <see cref="MaxTransactions"/> transactions in and keeps the rest waiting without a thread, so that a database keeps its peak however many clients arrive. A <see cref="RateLimiter"/>, hence it also fits
/// where those are taken: ASP.NET Core's rate limiter, resilience libraries.
/// </summary>
/// <remarks>
/// A lease flows with the async context of the caller: whoever asks inside a transaction gets a lease without a permit (<see cref="TransactionGateOptions.FlowsWithContext"/>). To let it flow, call the gate directly from the
/// method that holds the lease; an async method of yours around the call keeps the flow to itself. A loop that takes leases for others, such as a dispatcher, is one flow too: from its second lease on all would be nested
/// in the first and the limit would not hold; give its gate <see cref="TransactionGateOptions.FlowsWithContext"/> = false. All members are thread-safe.
/// </remarks>
public sealed partial class TransactionGate : RateLimiter
{
    private readonly TransactionGateOptions _options;
    private readonly TimeProvider _clock;
    private readonly long _createdAt;
    private readonly bool _isDivided;
    private readonly AsyncLocal<LeaseFlow?>? _flow;
    private readonly LeaseSet _leases = new();

    // Not readonly: it changes in place.
    private PermitWord _permits;
    private int _privileged;
    private long _admittedPrivileged;
    private long _nested;
    private bool _disposed;

    /// <summary>Creates a gate.</summary>
    /// <param name="options">Its settings; copied.</param>
    /// <exception cref="ArgumentNullException"><paramref name="options"/> is null.</exception>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range; the message names option, value and range.</exception>
    public TransactionGate(TransactionGateOptions options)
        : this(options, TimeProvider.System, isWatched: true)
    {
    }

    /// <summary>Creates a gate on another clock; one that is not watched has no thread, and <see cref="Look"/> is called by hand.</summary>
    internal TransactionGate(TransactionGateOptions options, TimeProvider clock, bool isWatched)
    {
        TransactionGateOptionsValidator.ThrowIfInvalid(options);
        _options = options.Copy();
        _clock = clock;
        _createdAt = clock.GetTimestamp();
        _isDivided = _options.Partitioning == GatePartitioning.PerGroup;
        _flow = _options.FlowsWithContext ? new AsyncLocal<LeaseFlow?>() : null;
        _permits = new PermitWord(_options.MaxTransactions, alwaysSlow: _isDivided);
        int groups = _isDivided ? _options.GroupCount : 1;
        _queues = [.. Enumerable.Range(0, groups).Select(static _ => new WaiterQueue())];
        _heldByGroup = new int[groups];
        _waitingByGroup = new int[groups];
        _shares = new GroupShareRule(groups, borrows: !_isDivided || _options.BorrowsBetweenGroups);
        _overload = new OverloadPolicy(_options.Order, _options.QueueTimeout, _options.OverloadDelay, _options.OverloadInterval);
        _monitor = isWatched ? new OverloadMonitor(_options.Name, Look) : null;
    }

    /// <summary>Metadata of a refusal: its reason. Beside it there are <see cref="MetadataName.ReasonPhrase"/> and, where coming again makes sense, <see cref="MetadataName.RetryAfter"/>.</summary>
    public static MetadataName<RefusalReason> ReasonMetadata { get; } = new("REFUSAL_REASON");

    /// <summary>Name of the gate.</summary>
    public string Name => _options.Name;

    /// <summary>
    /// The limit in force, in transactions; 0 to 1,000,000, 0 for no limit. Growing lets those that wait in at once. Shrinking takes nobody's lease: those inside end, and nobody enters until fewer than the new limit are left.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is out of its range.</exception>
    public int MaxTransactions
    {
        get => _permits.Limit;
        set
        {
            TransactionGateOptionsValidator.ThrowIfInvalidLimit(value);
            GateWaiter? decided;
            lock (_lock)
            {
                // Under the lock, so that no newcomer takes the new room before those that wait.
                _permits.SetLimit(value);
                decided = LetInLocked(ended: false);
            }

            Tell(decided);
        }
    }

    /// <summary>Always <see langword="null"/>: a gate is shared by name and must not be cleaned up by a partitioned limiter that finds it idle.</summary>
    public override TimeSpan? IdleDuration => null;

    internal TimeSpan Now => _clock.GetElapsedTime(_createdAt);

    /// <summary>Asks for a lease, and waits for it without a thread.</summary>
    /// <param name="request">Who asks.</param>
    /// <param name="cancellationToken">Ends the wait; nothing of it remains.</param>
    /// <returns>A <see cref="TransactionLease"/>, or a refusal: a lease with <see cref="RateLimitLease.IsAcquired"/> false and metadata that says why. Dispose either.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The priority is none of those defined.</exception>
    /// <exception cref="ObjectDisposedException">The gate is disposed.</exception>
    /// <exception cref="OperationCanceledException">The wait was cancelled.</exception>
    public ValueTask<RateLimitLease> AcquireAsync(TransactionRequest request, CancellationToken cancellationToken = default)
    {
        CheckPriority(request.Priority);
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled<RateLimitLease>(cancellationToken);
        }

        return TryEnter(request) is { } lease ? new ValueTask<RateLimitLease>(lease) : EnterOrWait(request, cancellationToken);
    }

    /// <summary>Asks for a lease without waiting.</summary>
    /// <param name="request">Who asks.</param>
    /// <returns>As <see cref="AcquireAsync(TransactionRequest, CancellationToken)"/>.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The priority is none of those defined.</exception>
    /// <exception cref="ObjectDisposedException">The gate is disposed.</exception>
    public RateLimitLease AttemptAcquire(TransactionRequest request)
    {
        CheckPriority(request.Priority);
        return TryEnter(request) ?? EnterOrRefuse(request);
    }

    /// <summary>
    /// Asks for a pass: as <see cref="AttemptAcquire(TransactionRequest)"/>, at a fraction of its price. A pass counts towards the limit, but is in no list and no statistics of leases, and does not flow. A gate whose permits
    /// are divided gives none, nor does a disposed one.
    /// </summary>
    /// <returns>A pass; <see cref="TransactionPass.IsAcquired"/> says whether the caller may go on. Dispose it in either case.</returns>
    public TransactionPass TryPass()
    {
        if (_permits.TryTake(out bool mustAdmit))
        {
            return PassSlot.Begin(this);
        }

        if (mustAdmit)
        {
            LetIn(ended: false);
        }

        return default;
    }

    /// <summary>What the base class tells about any limiter.</summary>
    public override RateLimiterStatistics GetStatistics()
    {
        int limit = _permits.Limit;
        return new RateLimiterStatistics
        {
            CurrentAvailablePermits = limit == 0 ? int.MaxValue : Math.Max(0, limit - _permits.Held),
            CurrentQueuedCount = QueuedCount,
            TotalSuccessfulLeases = _leases.Added + Interlocked.Read(ref _nested),
            TotalFailedLeases = RefusedCount,
        };
    }

    /// <inheritdoc/>
    protected override RateLimitLease AttemptAcquireCore(int permitCount)
    {
        CheckCount(permitCount);
        return AttemptAcquire(default(TransactionRequest));
    }

    /// <inheritdoc/>
    protected override ValueTask<RateLimitLease> AcquireAsyncCore(int permitCount, CancellationToken cancellationToken)
    {
        CheckCount(permitCount);
        return AcquireAsync(default(TransactionRequest), cancellationToken);
    }

    /// <summary>Refuses those that wait. Leases that are held stay good, and disposing them is harmless.</summary>
    /// <param name="disposing">True when called by Dispose.</param>
    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            Close();
        }
    }

    /// <inheritdoc/>
    protected override ValueTask DisposeAsyncCore()
    {
        Close();
        return default;
    }

    private static void CheckCount(int permitCount)
    {
        if (permitCount != 1)
        {
            throw new ArgumentOutOfRangeException(nameof(permitCount), permitCount, "A transaction takes exactly one permit.");
        }
    }

    private static void CheckPriority(TransactionPriority priority)
    {
        if (priority is < TransactionPriority.Low or > TransactionPriority.Admin)
        {
            throw new ArgumentOutOfRangeException(nameof(priority), priority, "The priority must be Low, Normal, High or Admin.");
        }
    }

    internal void EndPass()
    {
        if (_permits.GiveBack())
        {
            LetIn(ended: true);
        }
    }

    /// <summary>The ways in that need no lock: inside a transaction of the same flow, past the limit, through the fast way.</summary>
    private TransactionLease? TryEnter(in TransactionRequest request)
    {
        ObjectDisposedException.ThrowIf(Volatile.Read(ref _disposed), this);
        if (_flow?.Value?.Hold is { } outer && outer.TryJoin())
        {
            // A statistic: no other memory depends on it.
            Interlocked.Increment(ref _nested);
            return new TransactionLease(outer, isNested: true);
        }

        if (request.Priority == TransactionPriority.Admin || _options.Bypass?.Invoke(request) == true)
        {
            // Statistics too.
            Interlocked.Increment(ref _privileged);
            Interlocked.Increment(ref _admittedPrivileged);
            return Flow(Register(request, group: 0, takesPermit: false));
        }

        if (_permits.TryTake(out bool mustAdmit))
        {
            return Flow(Register(request, group: 0, takesPermit: true));
        }

        if (mustAdmit)
        {
            LetIn(ended: false);
        }

        return null;
    }

    private LeaseHold Register(in TransactionRequest request, int group, bool takesPermit)
    {
        var hold = new LeaseHold(this, request, group, takesPermit, Now);
        _leases.Add(hold);
        return hold;
    }

    /// <summary>The lease of one that enters on its own thread: it flows from here.</summary>
    private TransactionLease Flow(LeaseHold hold)
    {
        if (_flow is { } flow)
        {
            flow.Value = new LeaseFlow { Hold = hold };
        }

        return new TransactionLease(hold, isNested: false);
    }
}
