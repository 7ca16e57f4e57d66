using System.Threading.RateLimiting;
using AdaptivePool.Diagnostics;

namespace AdaptivePool.Admission;

/// <summary>
/// Limits the number of transactions that run at once to <see cref="PermitLimit"/>. The other requests wait without a thread. So a database keeps its peak
/// throughput, however many clients arrive. The gate is a <see cref="RateLimiter"/>, so you can also use it where rate limiters are accepted: in ASP.NET Core's
/// rate limiter and in resilience libraries.
/// </summary>
/// <remarks>
/// A lease flows with the async context of the caller: a request inside a transaction gets a lease without a permit
/// (<see cref="TransactionGateOptions.FlowsWithContext"/>). To let the lease flow, call the gate directly from the method that holds the lease. If the call is
/// inside your own async method, the flow does not leave that method. A loop that takes leases for others, such as a dispatcher, is one flow, too. From the
/// second lease on, all its leases would be nested in the first, and the limit would have no effect. Set <see cref="TransactionGateOptions.FlowsWithContext"/>
/// = false for its gate. All members are thread-safe.
/// </remarks>
public sealed partial class TransactionGate : RateLimiter
{
    /// <summary>Odd and large, so that threads with neighbouring numbers look in different places.</summary>
    private const int HintSpread = 7_919;

    /// <summary>
    /// Where this thread looks first for a place in the list of transactions: the place that it gave back last is still in its cache. The same for all gates.
    /// </summary>
    [ThreadStatic]
    private static int t_hint;

    /// <summary>A lease of no permits: it says that a permit was free, and holds none.</summary>
    private static readonly TransactionLease s_noPermits = new();

    private readonly TransactionGateOptions _options;
    private readonly LeaseFlow? _flow;

    /// <summary>Creates a gate.</summary>
    /// <remarks>
    /// The constructor does not catch the exceptions of code that the options name: <see cref="TransactionGateOptions.Fleet"/> and
    /// <see cref="TransactionGateOptions.MeterFactory"/>, nor those of a listener that is told of the instruments of the meter. After such an exception,
    /// nothing of the gate is left.
    /// </remarks>
    /// <param name="options">The settings of the gate. The gate copies them.</param>
    /// <exception cref="ArgumentNullException"><paramref name="options"/> is null.</exception>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range. The message names the option, its value and the range.</exception>
    /// <exception cref="InvalidOperationException"><see cref="IGateFleet.Join"/> returned <see langword="null"/>.</exception>
    public TransactionGate(TransactionGateOptions options)
        : this(options, clock: null)
    {
    }

    /// <summary>Creates a gate, perhaps on another clock. Then the gate has no thread, and <see cref="Look"/> is called by hand.</summary>
    internal TransactionGate(TransactionGateOptions options, GateClock? clock)
    {
        bool isWatched = clock is null;
        OptionCheck.ThrowFirst(TransactionGateOptionsValidator.Failures(options));
        _options = options.Copy();
        _flow = _options.FlowsWithContext ? new LeaseFlow() : null;
        _warned = new WarningHandlers((told, message) => told.Call(this, message, CountFault));
        Core = new GateCore<RealSync>(_options, clock ?? new GateClock(TimeProvider.System, CoarseTime.Instance));
        Core.LimitLoop = _options.Adaptive
            ? new TransactionLimitLoop<RealSync>(Core, _options, (change, onFault) => LimitChanged.Call(this, change, onFault), _warned.Tell, isWatched)
            : null;
        Core.Monitor = isWatched ? new TimerThread<RealSync>(_options.Name + " gate", Look) : null;
    }

    /// <summary>
    /// Raised when the limit of an adaptive gate has changed, or, with <see cref="TransactionGateOptions.AdaptiveMonitorOnly"/>, would have changed. Handlers
    /// run on a thread of the gate and must return quickly. <see cref="AdaptiveLimitSnapshot.HandlerFaults"/> counts handlers that throw. The event is not
    /// raised for a limit that is set through <see cref="PermitLimit"/>.
    /// </summary>
    public event EventHandler<ControllerTrace>? LimitChanged;

    /// <summary>
    /// The metadata of a refusal that contains its reason. A refusal also has <see cref="MetadataName.ReasonPhrase"/> and, if it makes sense to try again,
    /// <see cref="MetadataName.RetryAfter"/>.
    /// </summary>
    public static MetadataName<RefusalReason> ReasonMetadata { get; } = new("REFUSAL_REASON");

    /// <summary>The name of the gate.</summary>
    public string Name => _options.Name;

    /// <summary>
    /// The current limit, in transactions; 0 to 1,000,000, 0 for no limit. A higher limit admits waiting requests at once. A lower limit does not end leases:
    /// the transactions inside continue, and no transaction enters until fewer than the new limit are left. In an adaptive gate the search continues from a
    /// limit that is set here. With 0 the limit is off, and the search rests until another limit is set.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is out of its range.</exception>
    public int PermitLimit
    {
        get => Core.Limit;
        set
        {
            OptionCheck.ThrowFirst(TransactionGateOptionsValidator.Failures(new TransactionGateOptions { PermitLimit = value }));
            Core.SetLimit(value);
        }
    }

    /// <summary>Always <see langword="null"/>: a gate is shared by name, so a partitioned limiter that finds it idle must not clean it up.</summary>
    public override TimeSpan? IdleDuration => null;

    internal GateCore<RealSync> Core { get; }

    /// <summary>Requests a lease, and waits for it without a thread.</summary>
    /// <param name="request">The request.</param>
    /// <param name="cancellationToken">A token that cancels the wait. The request then leaves the queue without a trace.</param>
    /// <returns>
    /// A <see cref="TransactionLease"/>, or a refusal: a lease with <see cref="RateLimitLease.IsAcquired"/> false and metadata with the reason. Dispose it in
    /// both cases.
    /// </returns>
    /// <exception cref="ArgumentOutOfRangeException">The priority is not a defined value.</exception>
    /// <exception cref="ObjectDisposedException">The gate is disposed.</exception>
    /// <exception cref="OperationCanceledException">The wait was cancelled.</exception>
    public ValueTask<RateLimitLease> AcquireAsync(TransactionRequest request, CancellationToken cancellationToken = default)
    {
        CheckPriority(request.Priority);
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled<RateLimitLease>(cancellationToken);
        }

        return TryEnter(request, out object? present) is { } lease ? new ValueTask<RateLimitLease>(lease) : EnterOrWait(request, present, cancellationToken);
    }

    /// <summary>Requests a lease without waiting.</summary>
    /// <param name="request">The request.</param>
    /// <returns>The same as <see cref="AcquireAsync(TransactionRequest, CancellationToken)"/>.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The priority is not a defined value.</exception>
    /// <exception cref="ObjectDisposedException">The gate is disposed.</exception>
    public RateLimitLease AttemptAcquire(TransactionRequest request)
    {
        CheckPriority(request.Priority);
        return TryEnter(request, out object? present) is { } entered ? entered
            : Core.EnterOrRefuse(request, out RefusedLease? refusal) is { } hold ? Flow(hold, present)
            : refusal!;
    }

    /// <summary>
    /// Requests a pass. It does the same as <see cref="AttemptAcquire(TransactionRequest)"/>, at a fraction of the cost. A pass counts towards the limit, but
    /// is in no list and in no statistics of leases, and does not flow. A gate with divided permits gives no passes, and neither does a disposed gate. A caller
    /// that finds the gate full is counted for an instant, so the gate may refuse another caller at that moment although a permit has just been returned.
    /// </summary>
    /// <returns>A pass. <see cref="TransactionPass.IsAcquired"/> tells whether the caller may continue. Dispose it in both cases.</returns>
    public TransactionPass AttemptPass()
    {
        PassBook book = PassBook.Own;
        bool looksFirst = book.LooksFirst;
        bool isIn = Core.TryPass(looksFirst);
        if (isIn == looksFirst)
        {
            book.LooksFirst = !isIn;
        }

        return isIn ? book.Begin(this) : default;
    }

    /// <summary>Gets the statistics that the base class defines for every limiter.</summary>
    public override RateLimiterStatistics GetStatistics()
    {
        GateSnapshot now = GetSnapshot();
        return new RateLimiterStatistics
        {
            CurrentAvailablePermits = now.PermitLimit == 0 ? int.MaxValue : Math.Max(0, now.PermitLimit - now.Held),
            CurrentQueuedCount = now.Queued,
            TotalSuccessfulLeases = now.Admitted + now.Nested,
            TotalFailedLeases = now.Refused.Values.Sum(),
        };
    }

    /// <inheritdoc/>
    protected override RateLimitLease AttemptAcquireCore(int permitCount)
    {
        CheckCount(permitCount);
        return permitCount == 0 ? Peek() : AttemptAcquire(default(TransactionRequest));
    }

    /// <inheritdoc/>
    protected override ValueTask<RateLimitLease> AcquireAsyncCore(int permitCount, CancellationToken cancellationToken)
    {
        CheckCount(permitCount);
        if (permitCount != 0)
        {
            return AcquireAsync(default(TransactionRequest), cancellationToken);
        }

        return Peek() is { IsAcquired: true } free ? new ValueTask<RateLimitLease>(free) : WaitForRoom(cancellationToken);
    }

    /// <summary>Refuses the requests that wait. Leases that are held stay valid, and disposing them does no harm.</summary>
    /// <param name="disposing">True when called by Dispose.</param>
    protected override void Dispose(bool disposing)
    {
        if (disposing)
        {
            Core.Close();
        }
    }

    /// <inheritdoc/>
    protected override ValueTask DisposeAsyncCore()
    {
        Core.Close();
        return default;
    }

    private static void CheckCount(int permitCount)
    {
        if (permitCount > 1)
        {
            throw new ArgumentOutOfRangeException(nameof(permitCount), permitCount, "A transaction takes exactly one permit; 0 asks whether one is free.");
        }
    }

    // Takes nothing: as with any limiter, a request for no permits tells whether a permit is free.
    private RateLimitLease Peek()
    {
        ObjectDisposedException.ThrowIf(Core.IsDisposed, this);
        int limit = Core.Limit;
        return limit == 0 || (Core.Queued == 0 && Core.Held < limit) ? s_noPermits : new RefusedLease(RefusalReason.GateFull, retryAfter: null);
    }

    private async ValueTask<RateLimitLease> WaitForRoom(CancellationToken cancellationToken)
    {
        RateLimitLease answer = await AcquireAsync(default(TransactionRequest), cancellationToken).ConfigureAwait(false);
        if (!answer.IsAcquired)
        {
            return answer;
        }

        answer.Dispose();
        return s_noPermits;
    }

    private static void CheckPriority(TransactionPriority priority)
    {
        if (priority is < TransactionPriority.Low or > TransactionPriority.Admin)
        {
            throw new ArgumentOutOfRangeException(nameof(priority), priority, "The priority must be Low, Normal, High or Admin.");
        }
    }

    /// <summary>Notes the place in the list that this thread gave back last. The thread looks there first.</summary>
    internal static void ComeBackTo(int place) => t_hint = place;

    /// <summary>
    /// Creates a lease inside the transaction of another lease, without a permit; <see langword="null"/> when that transaction has ended, or has not begun.
    /// </summary>
    internal TransactionLease? TryNest(TransactionLease outer)
    {
        if (!outer.Key.TryNest(out LeaseKey<RealSync> nested))
        {
            return null;
        }

        Core.CountNested();
        return new TransactionLease(nested);
    }

    /// <summary>The ways in that need no lock: inside a transaction of the same flow, past the limit, through the fast way.</summary>
    private TransactionLease? TryEnter(in TransactionRequest request, out object? present)
    {
        ObjectDisposedException.ThrowIf(Core.IsDisposed, this);
        present = null;
        if (_flow is { } flow)
        {
            present = LeaseFlow.Present;
            if (flow.Find(present) is { } flowing && TryNest(flowing) is { } nested)
            {
                return nested;
            }
        }

        ref int hint = ref t_hint;
        if (hint == 0)
        {
            hint = Environment.CurrentManagedThreadId * HintSpread;
        }

        return Core.TryEnter(request, ref hint) is { } hold ? Flow(hold, present) : null;
    }

    /// <summary>Creates the lease of a transaction that enters on the thread of its caller. The lease flows from here.</summary>
    // Not a part of its callers: there the compiler would turn the reads and writes of the context into calls.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private TransactionLease Flow(LeaseHold<RealSync> hold, object? present)
    {
        var lease = new TransactionLease();
        lease.Key.Begin(hold);
        if (_flow is { } flow)
        {
            flow.Set(lease, present);
        }

        return lease;
    }

    private ValueTask<RateLimitLease> EnterOrWait(in TransactionRequest request, object? present, CancellationToken cancellationToken)
    {
        var lease = new TransactionLease();
        LeaseAnswer answer = cancellationToken.CanBeCanceled ? new LeaseAnswer.Cancellable(Core, lease, cancellationToken) : new LeaseAnswer(lease);
        bool waits = false;
        try
        {
            waits = Core.EnterOrWait(request, answer, cancellationToken);
        }
        finally
        {
            if (!waits)
            {
                answer.Forget();
            }
        }

        // Also for a caller that waits: a value that is set after an await would not reach the caller.
        if (_flow is { } flow && (waits || ReferenceEquals(answer.Outcome, lease)))
        {
            flow.Set(lease, present);
        }

        return waits ? new ValueTask<RateLimitLease>(answer.Task)
            : answer.Outcome is { } outcome ? new ValueTask<RateLimitLease>(outcome)
            : ValueTask.FromCanceled<RateLimitLease>(cancellationToken);
    }
}
