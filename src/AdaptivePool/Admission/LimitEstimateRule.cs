namespace AdaptivePool.Admission;

/// <summary>
/// Estimates which limit would have been best, from what the load itself brings about: how many transactions were inside, and how many ended meanwhile. It
/// tries nothing, so it does not know sizes that never occurred. The measured size with the highest throughput counts, less what a smaller size is worth, and
/// another size must be clearly better than the present answer.
/// </summary>
internal sealed class LimitEstimateRule : ILimitPolicy
{
    private static readonly TimeSpan s_lookAgain = TimeSpan.FromMilliseconds(250);

    /// <summary>Windows in which fewer transactions end say nothing.</summary>
    private const int FewestEnds = 20;

    /// <summary>
    /// Share of the transactions that end whose time inside must be known. With many passes, it is not known how many transactions were inside.
    /// </summary>
    private const double TimedShare = 0.9;

    /// <summary>Four sizes to a doubling.</summary>
    private const double BucketsPerDoubling = 4;

    /// <summary>Weight of a new window.</summary>
    private const double Weight = 0.2;

    /// <summary>Windows before a size is believed.</summary>
    private const int Believed = 3;

    /// <summary>Logarithm of throughput by which another size must be better: about the noise of a mean of some windows.</summary>
    private const double Clearly = 0.05;

    /// <summary>By size: how many windows, and the mean logarithm of their throughput.</summary>
    private readonly SortedDictionary<int, (int Count, double Mean)> _buckets = [];
    private LimitObservation _opened;

    /// <summary>The limit that would have been best; 0 while nothing is known.</summary>
    public int Limit { get; private set; }

    public int Verified => Limit;

    public double PerSecond { get; private set; } = double.NaN;

    public double WouldWait { get; private set; }

    /// <summary>Takes a look at the gate.</summary>
    /// <returns>
    /// What the window that ends with this look says. Without a trace while the window continues, or when it says nothing: no transaction came, more
    /// transactions failed than ended well, or many were passes.
    /// </returns>
    public LimitDecision Observe(in LimitObservation now)
    {
        double seconds = (now.Now - _opened.Now).TotalSeconds;
        long ended = now.Ended - _opened.Ended;
        bool saysNothing = now.IsInterrupted || now.Failed - _opened.Failed > ended
            || (ended >= FewestEnds && now.Timed - _opened.Timed < TimedShare * ended);
        if (saysNothing || ended < FewestEnds || !(seconds > 0))
        {
            _opened = saysNothing ? now : _opened;
            return new LimitDecision(Limit, s_lookAgain, DecisionReason.Hold);
        }

        // By Little's law: the seconds inside, divided by the seconds of the window. Failed transactions are included, because a limit counts them as well.
        double inside = (now.InsideSeconds + now.FailedSeconds - _opened.InsideSeconds - _opened.FailedSeconds) / seconds;
        PerSecond = ended / seconds;
        _opened = now;
        int before = Limit;
        DecisionReason reason = Observe(inside, PerSecond);
        WouldWait = Limit == 0 ? 0 : Math.Max(0, inside - Limit);
        return new LimitDecision(
            Limit, s_lookAgain, reason, new ControllerTrace { From = before, State = "MonitorOnly", ThroughputPerSecond = PerSecond });
    }

    /// <summary>Takes a window.</summary>
    /// <param name="inside">Mean number of transactions inside.</param>
    /// <param name="perSecond">Transactions per second that ended well.</param>
    /// <returns>Why the answer changed; <see cref="DecisionReason.Hold"/> when it did not.</returns>
    public DecisionReason Observe(double inside, double perSecond)
    {
        int key = (int)Math.Round(BucketsPerDoubling * Math.Log2(Math.Max(1, inside)), MidpointRounding.AwayFromZero);
        (int count, double mean) = _buckets.GetValueOrDefault(key);
        count++;
        _buckets[key] = (count, mean + (Math.Max(Weight, 1.0 / count) * (Math.Log(perSecond) - mean)));
        int before = Limit;
        Limit = Best();
        return Limit == before ? DecisionReason.Hold : before == 0 ? DecisionReason.Initial : Limit > before ? DecisionReason.JumpUp : DecisionReason.JumpDown;
    }

    private int Best()
    {
        IEnumerable<(int Size, double Utility)> believed =
            from bucket in _buckets
            where bucket.Value.Count >= Believed
            let size = SizeOf(bucket.Key)
            select (Size: size, Utility: bucket.Value.Mean - (MoveRule.MinElasticity * Math.Log(size)) + (size == Limit ? Clearly : 0));
        return believed.DefaultIfEmpty((Size: Limit, Utility: 0)).MaxBy(static it => it.Utility).Size;
    }

    private static int SizeOf(int key) => (int)Math.Round(Math.Pow(2, key / BucketsPerDoubling), MidpointRounding.AwayFromZero);
}
