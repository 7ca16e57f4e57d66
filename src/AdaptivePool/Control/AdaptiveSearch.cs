namespace AdaptivePool.Control;

/// <summary>
/// Finds a size by making a wave of sizes and looking for it in the throughput, as the founding document does. A period is A B B A; its first harmonics
/// give the elasticity between two sizes and, from the same samples, the noise. Every reading refines a belief about the whole curve, which says where to try
/// next, when to move, and when nothing more can be gained.
/// </summary>
internal sealed partial class AdaptiveSearch : ISizeSearch
{
    // The phase of the seed's wave at which a linear drift cancels; a longer period would only decide later.
    private const int Period = 4;

    // Resting samples are this much longer: they only watch.
    private const double RestSampleFactor = 4;

    // Longest step down of a question that promises nothing.
    private const double NearRatio = 2;

    private readonly HillClimbingOptions _options;
    private readonly HillClimbingOptions _nearOptions;
    private readonly CurveBelief _belief = new();
    private readonly WaveNoise _noise = new();
    private readonly Settling _settling = new();

    // Logarithms of the throughput of the samples of this period.
    private readonly double[] _logs = new double[Period];
    private readonly WorkloadAlarmRule _alarm = new();
    private DecisionReason _cause = DecisionReason.Initial;
    private double _rate;
    private int _base;

    // The size that the wave tries; the base itself where there is no wave, and what to try is decided on the next sample.
    private int _probe;

    // Samples of this period that have been taken.
    private int _count;

    // No better size is known: it is left on strict proof only, and for an alarm.
    private bool _isVerified;

    /// <summary>Creates a search that starts from the size of its first sample.</summary>
    /// <param name="options">The options, validated.</param>
    public AdaptiveSearch(HillClimbingOptions options)
    {
        _options = options;
        _nearOptions = options with { MaxDownRatio = Math.Min(options.MaxDownRatio, NearRatio), LookAheadPerCore = 0 };
    }

    /// <inheritdoc/>
    public ControllerState State { get; private set; }

    /// <inheritdoc/>
    public int BaseSize => _base;

    // A probe that empties the queue still shows a lower bound of what that size can do; a present size with an empty queue shows nothing.
    private bool IsProbing => IsSearching && Shape.IsProbe(_count);

    // The size to be in force.
    private int Target => IsSearching ? Shape.SizeAt(_count) : _base;

    private WaveShape Shape => new(_base, _probe, Period);

    /// <inheritdoc/>
    public SizeDecision Update(in PoolSample sample)
    {
        FollowRate(sample.Completions / sample.Elapsed.TotalSeconds);
        DecisionReason adopted = Adopt(sample);
        if (sample.Queued == 0 && !IsProbing && !IsHeld(sample))
        {
            // A queue that runs empty now and then must not end a rest.
            State = State == ControllerState.Optimized ? State : ControllerState.DemandLimited;
            return Decide(sample, DecisionReason.DemandLimited);
        }

        if (adopted != DecisionReason.Hold)
        {
            return Decide(sample, adopted);
        }

        if (State == ControllerState.DemandLimited)
        {
            Search(sample, mayRest: true);
            return Decide(sample, DecisionReason.Hold);
        }

        if (_settling.IsActive)
        {
            return OnSettlingSample(sample);
        }

        if (sample.Target == _base)
        {
            _utilisation = sample.Utilisation;
        }

        return State == ControllerState.Optimized ? OnRestSample(sample) : OnWaveSample(sample);
    }

    /// <inheritdoc/>
    public void Reinitialize(int target, DecisionReason reason) => Restart(target, reason);

    // There is one size only: it is watched, and asked about as soon as there is room.
    private static bool IsHeld(in PoolSample sample) => sample.MinTarget == sample.MaxTarget;

    private DecisionReason Adopt(in PoolSample sample)
    {
        int allowed = JumpGuard.Clamp(sample.Target, sample.MinTarget, sample.MaxTarget);
        if (_base == 0)
        {
            Restart(allowed, DecisionReason.Initial);
            _isFirst = true;
            return DecisionReason.Initial;
        }

        if (sample.Target != Target)
        {
            Restart(allowed, DecisionReason.Reinitialized);
            return DecisionReason.Reinitialized;
        }

        int bounded = JumpGuard.Clamp(_base, sample.MinTarget, sample.MaxTarget);
        if (bounded != _base || allowed != sample.Target)
        {
            _base = bounded;
            BeginWave();
            return DecisionReason.ManualResize;
        }

        bool isProbeToCome = IsSearching && _count < Shape.AfterProbe;
        if (isProbeToCome && (_probe < sample.MinTarget || _probe > sample.MaxTarget))
        {
            // The present size is still allowed, the probed one is not: another wave, from the start.
            Search(sample, mayRest: true);
        }

        return DecisionReason.Hold;
    }

    private void Restart(int size, DecisionReason cause)
    {
        // Where nobody has changed the size there is nothing to settle.
        _settling.Begin(_base == 0 || Target == size ? 0 : SampleLengthRule.SettleCompletions(Target, size, _options));
        _belief.Reset();
        _alarm.Reset(keepNoise: false);
        _nextRest = _options.FirstRestSamples;
        ResetModel();
        _isVerified = false;
        _cause = cause;
        _base = size;
        BeginWave();
    }

    // What is tried is decided when the present size has been measured.
    private void BeginWave()
    {
        State = ControllerState.Usual;
        _probe = _base;
        _count = 0;
    }

    private void FollowRate(double throughput)
    {
        if (throughput > 0)
        {
            _rate = _rate > 0 ? (_rate + throughput) / 2 : throughput;
        }
        else
        {
            // Nothing completed: the next sample has to be longer.
            _rate /= 2;
        }
    }
}
