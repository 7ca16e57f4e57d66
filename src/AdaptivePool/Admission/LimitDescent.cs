using AdaptivePool.Control;

namespace AdaptivePool.Admission;

/// <summary>
/// The way down from a limit far above any likely optimum, where a comparison as the search makes it takes many seconds: the limit is divided by four again and
/// again as long as throughput does not fall. What is measured at a new limit begins when the gate has drained and one generation has ended: before that,
/// transactions end that ran among more of their kind. A step that looks worse in one sample, and in that and a second one together, is taken back; so is one
/// whose drain does not come.
/// </summary>
/// <remarks>
/// The first step needs no sample of the limit that it leaves: those admitted under it end while the gate drains, and the rate at which they do is what the
/// step is judged by. That rate may flatter a database that has only begun to be crowded. So when the first step looks worse, one more is made before both are
/// taken back: where less is better the second is better than the first. Where there was no drain, it was interrupted, or too few ended in it, the rate at
/// which the limit was found to bind stands in for it.
/// </remarks>
internal sealed class LimitDescent
{
    /// <summary>Limits up to this are left to the search.</summary>
    public const int FarAbove = 128;

    /// <summary>What the traces call it.</summary>
    public const string StateName = "Descent";

    /// <summary>Present limit over the next one at most; less where the search may not step as far.</summary>
    private const double Ratio = 4;

    /// <summary>From here the search is faster than another step.</summary>
    private const int LowEnough = 32;

    /// <summary>Share of the throughput before that must be kept: a little more is lost by chance alone.</summary>
    private const double KeptShare = 0.9;

    /// <summary>Ends that show that the limit binds, and that a rate can be believed.</summary>
    private const int FewestEnds = 20;

    /// <summary>
    /// Share of the rate before the cut at which a drain must come. Less is no drain but a closed gate: what is left inside is of a longer kind. Not more,
    /// because that rate may flatter.
    /// </summary>
    private const double DrainShare = 0.1;

    /// <summary>Times that the mean transaction is inside, before a drain is judged: those that began together end together.</summary>
    private const double DrainTimes = 2;
    private static readonly TimeSpan s_shortestDrain = TimeSpan.FromMilliseconds(500);
    private static readonly TimeSpan s_longestDrain = TimeSpan.FromHours(1);

    // Looks come as soon as they can be of use: what is missing, at the present rate.
    private static readonly TimeSpan s_soonest = TimeSpan.FromMilliseconds(20);
    private static readonly TimeSpan s_latest = TimeSpan.FromMilliseconds(200);

    private readonly HillClimbingOptions _options;
    private readonly double _ratio;
    private int _lowest;
    private int _highest;
    private LimitObservation _opened;
    private LimitObservation _drainSeen;
    private TimeSpan _drainInterval;
    private Phase _phase;
    private int _limit;

    // The best rate of a limit that it stood by; 0 before there is one.
    private double _reference;
    private double _share;
    private bool _isTorn;
    private bool _isDoubtful;
    private bool _isFirst;

    /// <summary>Creates a way down.</summary>
    /// <param name="options">Parameters of the search: how long a sample is, and how long a step. There is no way down for a search that is switched off or
    /// follows the founding document.</param>
    /// <param name="lowest">Lowest limit.</param>
    /// <param name="highest">Highest limit.</param>
    public LimitDescent(HillClimbingOptions options, int lowest, int highest)
    {
        _options = options;
        _ratio = options is { Enabled: true, Profile: ControllerProfile.Adaptive } ? Math.Min(Ratio, options.MaxDownRatio) : 1;
        _lowest = lowest;
        _highest = highest;
    }

    private enum Phase
    {
        Ended,

        /// <summary>Until the limit binds.</summary>
        Waiting,

        /// <summary>Until as many as the new limit are left.</summary>
        Draining,

        /// <summary>Until one generation has ended that ran among no more.</summary>
        Settling,

        /// <summary>Until there is a sample.</summary>
        Measuring,
    }

    /// <summary>Whether it is on its way; the search rests meanwhile.</summary>
    public bool IsActive => _phase != Phase.Ended;

    /// <summary>Whether nobody is let in until some of those inside have ended: the loop must look although none does.</summary>
    public bool IsDraining => _phase == Phase.Draining;

    /// <summary>The limit that it stands by: the one above while a step is on trial.</summary>
    public int Verified { get; private set; }

    /// <summary>Transactions that ended well per second in the last sample in which the limit was what held others back; NaN before there was one.</summary>
    public double PerSecond { get; private set; } = double.NaN;

    /// <summary>A limit was set from which to go on; there may be nothing to do.</summary>
    /// <param name="limit">The limit.</param>
    /// <param name="isKnown">Whether it is known to be good: then there is no way down.</param>
    public void Begin(int limit, bool isKnown = false)
    {
        (_limit, Verified) = (limit, limit);
        (_reference, _share, _isFirst, _isDoubtful, _isTorn) = (0, KeptShare, true, false, false);

        // A limit above the highest is not stood by; the search brings it back at once.
        _phase = !isKnown && limit > FarAbove && limit <= _highest && Below(limit) < limit ? Phase.Waiting : Phase.Ended;
    }

    /// <summary>Other bounds hold from now on.</summary>
    public void Bound(int lowest, int highest) => (_lowest, _highest) = (lowest, highest);

    /// <summary>What was counted so far says nothing; what is under way begins anew.</summary>
    public void Reopen(in LimitObservation now)
    {
        (_opened, _drainSeen) = (now, now);
        _isTorn = true;
    }

    /// <summary>Takes a look at the gate.</summary>
    public LimitDecision Observe(in LimitObservation now)
    {
        TimeSpan elapsed = now.Now - _opened.Now;
        long ended = now.Ended - _opened.Ended;
        if (now.Failed - _opened.Failed > ended)
        {
            // The database is away or sick.
            _opened = now;
            _isTorn = true;
            return Hold(_options.MinSampleInterval);
        }

        double rate = elapsed > TimeSpan.Zero ? ended / elapsed.TotalSeconds : 0;
        switch (_phase)
        {
            case Phase.Waiting:
                return Wait(now, elapsed, ended, rate);

            case Phase.Draining when now.Held > _limit:
                return Drain(now, rate);

            case Phase.Draining:
                // After the first step the limit above has a sample of its own.
                _reference = _reference > 0 ? _reference : _isTorn || ended < FewestEnds ? PerSecond : rate;
                return Next(now, Phase.Settling, rate);

            case Phase.Settling when ended < _limit:
                return Hold(Soon(_limit - ended, rate));

            case Phase.Settling:
                return Next(now, Phase.Measuring, rate);

            default:
                return Measure(now, elapsed, ended, rate);
        }
    }

    private LimitDecision Wait(in LimitObservation now, TimeSpan elapsed, long ended, double rate)
    {
        if (elapsed < _options.MinSampleInterval || ended < FewestEnds)
        {
            return Hold(_options.MinSampleInterval);
        }

        if (now.Binds(_opened))
        {
            return StepDown(now, rate, gain: double.NaN);
        }

        _opened = now;
        return Hold(_options.MinSampleInterval);
    }

    private LimitDecision Drain(in LimitObservation now, double rate)
    {
        TimeSpan elapsed = now.Now - _drainSeen.Now;
        if (elapsed >= _drainInterval)
        {
            long left = now.Ended + now.Failed - _drainSeen.Ended - _drainSeen.Failed;
            bool isWanted = now.Queued > 0 || now.TurnedAway > _opened.TurnedAway;
            if (isWanted ? left < DrainShare * PerSecond * elapsed.TotalSeconds : left == 0)
            {
                return GiveUp(now, rate, isWanted);
            }

            _drainSeen = now;
        }

        return Hold(Soon(now.Held - _limit, rate));
    }

    private LimitDecision GiveUp(in LimitObservation now, double rate, bool isWanted)
    {
        _limit = Verified;
        if (isWanted)
        {
            return End(DecisionReason.JumpUp, rate, gain: double.NaN);
        }

        // Nobody looks while nothing ends, so those that come then must not find the gate closed. When it binds again the step is made again.
        Begin(Verified);
        Reopen(now);
        return Tell(DecisionReason.JumpUp, _options.MinSampleInterval, rate, gain: double.NaN);
    }

    private LimitDecision Measure(in LimitObservation now, TimeSpan elapsed, long ended, double rate)
    {
        // A generation, so that transactions of one length that began together are counted in all their phases.
        int samples = _isDoubtful ? 2 : 1;
        double missing = (samples * Math.Max(_options.MinSampleCompletions, _limit)) - ended;
        TimeSpan early = (samples * _options.MinSampleInterval) - elapsed;
        if (missing > 0 || early > TimeSpan.Zero)
        {
            TimeSpan soon = Soon(missing, rate);
            return Hold(soon > early ? soon : early);
        }

        if (!now.Binds(_opened))
        {
            // As many as want to are let in: less cannot be judged, and more is not wanted.
            Verified = _limit;
            return End(DecisionReason.Hold, rate, gain: double.NaN);
        }

        PerSecond = rate;
        return Judge(now, rate);
    }

    private LimitDecision Judge(in LimitObservation now, double rate)
    {
        double gain = Math.Log(rate / _reference);
        if (rate >= _share * _reference)
        {
            Verified = _limit;

            // Of the best, not of the last: what many steps lose adds up.
            (_reference, _share) = (Math.Max(_reference, rate), KeptShare);
            _isFirst = false;
            return _limit > LowEnough && Below(_limit) < _limit ? StepDown(now, rate, gain) : End(DecisionReason.Hold, rate, gain);
        }

        if (!_isDoubtful)
        {
            _isDoubtful = true;
            return Hold(_options.MinSampleInterval);
        }

        if (_isFirst && Below(_limit) < _limit)
        {
            // Only better than this counts.
            _isFirst = false;
            (_reference, _share) = (rate, 1);
            return StepDown(now, rate, gain);
        }

        _limit = Verified;
        return End(DecisionReason.JumpUp, rate, gain);
    }

    private LimitDecision StepDown(in LimitObservation now, double rate, double gain)
    {
        PerSecond = rate;
        long timed = now.Timed - _opened.Timed;
        double inside = timed > 0 ? (now.InsideSeconds - _opened.InsideSeconds) / timed : 0;
        double seconds = Math.Max(DrainTimes * inside, FewestEnds / rate);
        _drainInterval = TimeSpan.FromSeconds(Math.Clamp(seconds, s_shortestDrain.TotalSeconds, s_longestDrain.TotalSeconds));
        _limit = Below(_limit);

        // Where no more than that are inside, nothing drains: whoever ends from now on says nothing about the limit above.
        (_drainSeen, _isTorn) = (now, now.Held <= _limit);
        Next(now, Phase.Draining, rate);
        return Tell(DecisionReason.JumpDown, s_soonest, rate, gain);
    }

    private LimitDecision Next(in LimitObservation now, Phase phase, double rate)
    {
        _opened = now;
        _phase = phase;
        _isDoubtful = false;
        return Hold(Soon(phase == Phase.Draining ? 0 : _limit, rate));
    }

    private LimitDecision End(DecisionReason reason, double rate, double gain)
    {
        _phase = Phase.Ended;
        return Tell(reason, _options.MinSampleInterval, rate, gain);
    }

    private int Below(int limit) => Math.Clamp((int)Math.Ceiling(limit / _ratio), _lowest, _highest);

    private static TimeSpan Soon(double missing, double rate)
    {
        double seconds = rate > 0 ? missing / rate : double.PositiveInfinity;
        return TimeSpan.FromSeconds(Math.Clamp(seconds, s_soonest.TotalSeconds, s_latest.TotalSeconds));
    }

    private LimitDecision Hold(TimeSpan lookAgain) => new(_limit, lookAgain, DecisionReason.Hold);

    // From is the caller's: it knows the limit in force.
    private LimitDecision Tell(DecisionReason reason, TimeSpan lookAgain, double rate, double gain) =>
        new(_limit, lookAgain, reason, new ControllerTrace { To = _limit, Reason = reason, State = StateName, ThroughputPerSecond = rate, Gain = gain });
}
