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
    private readonly SampleHistory _history = new(Period);
    private readonly WorkloadAlarmRule _alarm = new();
    private DecisionReason _cause = DecisionReason.Initial;
    private double _rate;
    private double _cores;
    private int _base;

    // The size that the wave tries; the base itself where there is no wave, and what to try is decided on the next sample.
    private int _probe;
    private int _inForce;
    private int _min = 1;
    private int _max = int.MaxValue;
    private bool _wasResting;

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
    private bool IsProbing => IsSearching && Shape.IsProbe(_history.Count);

    private WaveShape Shape => new(_base, _probe, Period);

    /// <inheritdoc/>
    public SizeDecision Update(in PoolSample sample)
    {
        FollowRate(sample.Completions / sample.Elapsed.TotalSeconds);
        _min = sample.MinTarget;
        _max = sample.MaxTarget;
        _cores = sample.Cores;
        DecisionReason adopted = Adopt(sample);
        if (sample.Queued == 0 && !IsProbing && !IsHeld)
        {
            _wasResting = State == ControllerState.Optimized || (State == ControllerState.DemandLimited && _wasResting);
            State = ControllerState.DemandLimited;
            return Decide(sample, _base, DecisionReason.DemandLimited);
        }

        if (adopted != DecisionReason.Hold)
        {
            return Decide(sample, _base, adopted);
        }

        if (State == ControllerState.DemandLimited)
        {
            Resume();
            return Decide(sample, _base, DecisionReason.Hold);
        }

        if (_settling.IsActive)
        {
            return OnSettlingSample(sample);
        }

        return State == ControllerState.Optimized ? OnRestSample(sample) : OnWaveSample(sample);
    }

    /// <inheritdoc/>
    public void Reinitialize(int target, DecisionReason reason) => Restart(target, reason);

    private DecisionReason Adopt(in PoolSample sample)
    {
        int allowed = JumpGuard.Clamp(sample.Target, _min, _max);
        if (_inForce == 0)
        {
            Restart(allowed, DecisionReason.Initial, sample.Utilisation);
            _isFirst = true;
            return DecisionReason.Initial;
        }

        if (sample.Target != _inForce)
        {
            Restart(allowed, DecisionReason.Reinitialized);
            return DecisionReason.Reinitialized;
        }

        int bounded = JumpGuard.Clamp(_base, _min, _max);
        if (bounded != _base || allowed != sample.Target)
        {
            _base = bounded;
            Search(mayRest: false);
            return DecisionReason.ManualResize;
        }

        bool isProbeToCome = IsSearching && _history.Count < Shape.AfterProbe;
        if (isProbeToCome && (_probe < _min || _probe > _max))
        {
            // The present size is still allowed, the probed one is not: another wave, from the start.
            Search(mayRest: true);
        }

        return DecisionReason.Hold;
    }

    private void Restart(int size, DecisionReason cause, double utilisation = double.NaN)
    {
        _belief.Reset();
        _alarm.Reset(keepNoise: false);
        _nextRest = _options.FirstRestSamples;
        ResetModel();
        _utilisation = utilisation;
        _contradictions = 0;
        _isVerified = false;
        _cause = cause;
        _base = size;
        _restTrace.End();

        // Where nobody has changed the size there is nothing to settle.
        _settling.Begin(_inForce == 0 || _inForce == size ? 0 : SampleLengthRule.SettleCompletions(_inForce, size, _options));
        _inForce = size;
        Search(mayRest: false);
    }

    // A queue that runs empty now and then must not end a rest.
    private void Resume()
    {
        if (_wasResting)
        {
            State = ControllerState.Optimized;
        }
        else
        {
            Search(mayRest: true);
        }
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
