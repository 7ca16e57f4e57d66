namespace AdaptivePool.Admission;

/// <summary>
/// Steers the limit of a gate: divides what it observes into samples, asks a controller, and keeps the limit within the bounds. A sample in which hardly any
/// caller had to wait says nothing about the limit. A sample in which more transactions failed than ended well says that the database is away, and nothing
/// about the limit either. If a limit is set from outside, the search continues from it.
/// </summary>
/// <param name="controller">The controller that decides.</param>
/// <param name="start">Limit to begin with.</param>
/// <param name="lowest">Lowest limit.</param>
/// <param name="highest">Highest limit.</param>
internal sealed class TransactionLimitPolicy(IPoolController controller, int start, int lowest, int highest) : ILimitPolicy
{
    /// <summary>The limit at which a search without a given start begins. It is low, because an overshoot cannot be repaired afterwards.</summary>
    public const int DefaultStart = 4;

    /// <summary>
    /// The highest start of a search. More sessions than that leave something behind in a server that no limit takes back (ADR 75). The search goes above
    /// this start only on proof.
    /// </summary>
    public const int HighestStart = 32;

    /// <summary>Limits above this are far above what any server likes best.</summary>
    private const int FarAbove = 128;

    /// <summary>
    /// A probe never takes more than three quarters of the limit away, so that it does not starve the callers that wait. Far above any likely optimum, it may
    /// take more.
    /// </summary>
    private const int ProbeDivisor = 4;
    private const int ProbeDivisorAbove = 8;

    /// <summary>
    /// The least share that a probe leaves of a limit that was found before. That limit is known to be good, though not to this search, whose first probe
    /// would be the lowest that is allowed. A probe goes down nearly as far as a step up goes (ADR 93).
    /// </summary>
    private const double FoundShare = 0.75;

    /// <summary>
    /// Cores that the database has at least. The search takes fourfold steps up to eight times as many. How many cores the database really has is not known
    /// here.
    /// </summary>
    private const double DatabaseCores = 2;

    private static readonly TimeSpan s_firstInterval = TimeSpan.FromMilliseconds(100);

    private int _lowest = lowest;
    private int _highest = highest;
    private LimitObservation _opened;
    private TimeSpan _interval = s_firstInterval;
    private bool _isOpen;

    // The limit found before from which the search continues, until it moves away; zero if there is none.
    private int _found;

    /// <summary>
    /// The options of the search for a gate. Samples are long enough for the swings of a database. There is no model, because the CPU that is used up is the
    /// database's. The search rests as soon as it expects less than a hundredth, because a database that is tried all the time loses that much by the trials.
    /// </summary>
    public static HillClimbingOptions DefaultOptions { get; } = new()
    {
        ModelJump = false,
        MinSampleInterval = TimeSpan.FromMilliseconds(100),
        MinSampleCompletions = 100,
        MinImprovement = 0.01,
    };

    /// <summary>The limit that was decided last.</summary>
    public int Limit { get; private set; } = start;

    /// <summary>The limit that the search has confirmed, whatever it tries at the moment.</summary>
    public int Verified { get; private set; } = start;

    /// <summary>
    /// Transactions that ended well per second, in the last sample in which the limit held transactions back; NaN before the first such sample.
    /// </summary>
    public double PerSecond { get; private set; } = double.NaN;

    /// <summary>Sets other bounds, for a limit that is already within them or that <see cref="Continue"/> sets.</summary>
    public void Bound(int lowest, int highest) => (_lowest, _highest) = (lowest, highest);

    /// <summary>Continues from another limit.</summary>
    /// <param name="limit">The limit.</param>
    /// <param name="isFound">Whether the limit was measured, by this gate or by another one.</param>
    public void Continue(int limit, bool isFound)
    {
        (Limit, Verified, _found, _interval, _isOpen) = (limit, limit, isFound ? limit : 0, s_firstInterval, false);
        controller.Reinitialize(limit, DecisionReason.Reinitialized);
    }

    /// <summary>Takes a look at the gate.</summary>
    public LimitDecision Observe(in LimitObservation now)
    {
        if (now.Limit != Limit)
        {
            return Adopt(now);
        }

        if (now.Limit == 0 || !_isOpen || now.IsInterrupted)
        {
            return Open(now);
        }

        TimeSpan elapsed = now.Now - _opened.Now;
        if (elapsed < _interval)
        {
            return new LimitDecision(Limit, _interval - elapsed, DecisionReason.Hold);
        }

        long ended = now.Ended - _opened.Ended;
        if (now.Failed - _opened.Failed > ended)
        {
            // The database is away or sick. Any limit that is tried now would look bad.
            return Open(now);
        }

        return ended == 0 ? new LimitDecision(Limit, _interval, DecisionReason.Hold) : Decide(now, elapsed);
    }

    private LimitDecision Open(in LimitObservation now)
    {
        _opened = now;
        _isOpen = true;
        return new LimitDecision(Limit, _interval, DecisionReason.Hold);
    }

    private LimitDecision Adopt(in LimitObservation now)
    {
        int before = Limit;
        Limit = now.Limit;
        Verified = Math.Max(1, now.Limit);
        _interval = s_firstInterval;
        Open(now);
        if (now.Limit > 0)
        {
            controller.Reinitialize(now.Limit, DecisionReason.ManualResize);
        }

        return new LimitDecision(
            Limit, _interval, DecisionReason.ManualResize, new ControllerTrace { From = before, To = Limit, Reason = DecisionReason.ManualResize });
    }

    private LimitDecision Decide(in LimitObservation now, TimeSpan elapsed)
    {
        PoolSample sample = ToSample(now, elapsed);
        bool binds = sample.Queued > 0;
        double rate = sample.Completions / elapsed.TotalSeconds;
        PerSecond = binds ? rate : PerSecond;
        SizeDecision decision = controller.Update(sample);
        int limit = Math.Clamp(decision.Target, _lowest, _highest);
        _interval = decision.NextInterval;
        Limit = limit;
        Verified = decision.IsTrial ? Verified : limit;
        Open(now);
        return new LimitDecision(limit, _interval, decision.Reason, decision.Trace);
    }

    private PoolSample ToSample(in LimitObservation now, TimeSpan elapsed)
    {
        bool binds = now.Binds(_opened);
        long timed = now.Timed - _opened.Timed;
        long completions = now.Ended - _opened.Ended;
        int divisor = Verified > FarAbove ? ProbeDivisorAbove : ProbeDivisor;
        int least = Verified == _found ? (int)(FoundShare * Verified) : (Verified + divisor - 1) / divisor;
        return new PoolSample
        {
            Elapsed = elapsed,
            Completions = completions,
            Target = now.Limit,
            MinTarget = Math.Clamp(least, _lowest, _highest),
            MaxTarget = _highest,
            Arrivals = Math.Max(0, completions + now.Queued - _opened.Queued),
            Queued = binds ? Math.Max(1, now.Queued) : 0,
            MeanServiceTime = timed > 0 ? TimeSpan.FromSeconds(Math.Max(0, (now.InsideSeconds - _opened.InsideSeconds) / timed)) : TimeSpan.Zero,
            Active = now.Held,
            Running = 0,
            Blocked = now.Held,
            WorkerCpuSeconds = double.NaN,
            Utilisation = double.NaN,
            Cores = DatabaseCores,
        };
    }
}
