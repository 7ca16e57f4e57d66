namespace AdaptivePool.Control;

/// <summary>
/// Finds a size by making a small wave of sizes and looking for it in the throughput (seed 000). A period of the wave is A B B A; the first harmonics of both signals
/// give an elasticity and, from the same samples, its noise. Evidence is kept per step of size; a jump up needs proof, a jump down equivalence, and certainty ends the
/// probing for growing intervals. Where the utilisation is known, the model N / utilisation proposes larger steps, verified by their gain.
/// Not safe for concurrent use; one instance per pool or work class.
/// </summary>
public sealed partial class HillClimbingController : IPoolController
{
    // Resting samples are this much longer: they only watch.
    private const double RestSampleFactor = 4;

    private readonly HillClimbingOptions _options;
    private readonly SampleHistory _history;
    private readonly WaveNoise _noise = new();
    private readonly StepEvidence _evidence;
    private readonly JumpScaling _scaling = new();
    private readonly RestSchedule _rest;
    private readonly Settling _settling = new();
    private ControllerTrace? _holdTrace;
    private DecisionReason _cause = DecisionReason.Initial;
    private WaveShape _shape;
    private double _rate;
    private int _base;
    private int _inForce;
    private int _min = 1;
    private int _max = int.MaxValue;
    private int _phase;
    private bool _wasResting;
    private ControllerState _holdState;

    /// <summary>Creates a controller that starts from the size of its first sample.</summary>
    /// <param name="options">The options; <see langword="null"/> for the defaults.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is outside its range.</exception>
    public HillClimbingController(HillClimbingOptions? options = null)
    {
        _options = options ?? new();
        _options.Validate();
        _history = new(_options.WavePeriod * _options.SamplesToWavePeriodRatio);
        _evidence = new(_options.EvidenceMemory, _options.PriorDeviation);
        _rest = new(_options.FirstRestSamples, _options.MaxRestSamples);
        _magnitude = _options.MinWaveMagnitude;
        _modelPause = FirstModelPause;
    }

    /// <summary>What the controller is doing.</summary>
    public ControllerState State { get; private set; }

    /// <summary>The size around which the wave runs, in threads; zero before the first sample.</summary>
    public int BaseSize => _base;

    /// <inheritdoc/>
    public SizeDecision Update(in PoolSample sample)
    {
        if (!SampleRule.IsValid(sample))
        {
            return Refuse(sample);
        }

        double throughput = sample.Completions / sample.Elapsed.TotalSeconds;
        FollowRate(throughput);
        _min = sample.MinTarget;
        _max = sample.MaxTarget;
        DecisionReason adopted = Adopt(sample);
        if (sample.Queued == 0 && !IsProbing)
        {
            _wasResting = State == ControllerState.Rest || (State == ControllerState.DemandLimited && _wasResting);
            State = ControllerState.DemandLimited;
            return Decide(sample, _base, DecisionReason.DemandLimited);
        }

        if (adopted != DecisionReason.Hold)
        {
            return Decide(sample, _base, adopted);
        }

        if (State == ControllerState.DemandLimited)
        {
            // A queue that runs empty now and then must not end a rest.
            if (_wasResting)
            {
                State = ControllerState.Rest;
            }
            else
            {
                StartSearch();
            }

            return Decide(sample, _base, DecisionReason.Hold);
        }

        if (_settling.IsActive)
        {
            _settling.Drop(sample.Completions);
            return Decide(sample, _inForce, DecisionReason.Hold);
        }

        return State switch
        {
            ControllerState.Rest => OnRestSample(sample, throughput),
            ControllerState.ModelTrial => OnTrialSample(sample),
            _ => OnWaveSample(sample, throughput),
        };
    }

    /// <inheritdoc/>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="target"/> is under 1.</exception>
    public void Reinitialize(int target, DecisionReason reason)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(target, 1);
        Restart(target, reason);
    }

    // A probe that empties the queue still shows a lower bound of what that size can do; a present size with an empty queue shows nothing.
    private bool IsProbing => State == ControllerState.ModelTrial || (State == ControllerState.Usual && _shape.IsProbe(_phase));

    private DecisionReason Adopt(in PoolSample sample)
    {
        int allowed = JumpGuard.Clamp(sample.Target, _min, _max);
        if (_inForce == 0)
        {
            Restart(allowed, DecisionReason.Initial);
            _settling.Begin(0);
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
            StartSearch();
            return DecisionReason.ManualResize;
        }

        if (State == ControllerState.Usual && (_shape.Low < _min || _shape.High > _max))
        {
            // The present size is still allowed, the probed one is not: another wave, from the start.
            StartSearch();
        }

        return DecisionReason.Hold;
    }

    private void Restart(int size, DecisionReason cause)
    {
        ForgetCurve();
        _cause = cause;
        _base = size;
        _inForce = size;
        _holdTrace = null;
        _settling.Begin(SampleLengthRule.SettleCompletions(0, size, _options));
        StartSearch();
    }

    private void ForgetCurve()
    {
        _evidence.Fade(0);
        _scaling.Clear();
        _rest.Reset();
        _contradictions = 0;
        _upPeriods = 0;
        _progress = 0;
        _magnitude = _options.MinWaveMagnitude;
        ResetModel();
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

    private SizeDecision Refuse(in PoolSample sample)
    {
        int target = _inForce > 0 ? _inForce : Math.Max(1, sample.Target);
        return new(target, _options.MaxSampleInterval, DecisionReason.InvalidSample, Unchanged(target, DecisionReason.InvalidSample, 0)) { IsTrial = _inForce > 0 && target != _base };
    }

    private SizeDecision Decide(in PoolSample sample, int target, DecisionReason reason, double gain = double.NaN, double noise = double.NaN)
    {
        int from = _inForce == sample.Target ? _inForce : sample.Target;
        double throughput = sample.Completions / sample.Elapsed.TotalSeconds;
        double expected = _rate;
        if (target != _inForce)
        {
            expected *= Math.Max(1, (double)target / _inForce);
            double share = State == ControllerState.ModelTrial ? TrialSettleFactor : 1;
            _settling.Begin(share * SampleLengthRule.SettleCompletions(_inForce, target, _options));
            _inForce = target;
        }

        bool isSettling = _settling.IsActive;
        double wanted = isSettling ? _settling.Remaining : SampleLengthRule.Completions(target, _options);
        if (!isSettling && State is ControllerState.Rest or ControllerState.DemandLimited)
        {
            wanted *= RestSampleFactor;
        }

        double shortest = (isSettling ? _options.MinSettleInterval : _options.MinSampleInterval).TotalSeconds;
        TimeSpan interval = SampleLengthRule.Interval(wanted, expected, target, sample.MeanServiceTime, shortest, _options);
        if (from == target && double.IsNaN(gain) && reason is DecisionReason.Hold or DecisionReason.DemandLimited)
        {
            return new(target, interval, reason, Unchanged(target, reason, throughput)) { IsTrial = target != _base };
        }

        _holdTrace = null;
        var trace = new ControllerTrace
        {
            From = from,
            To = target,
            Reason = reason,
            State = StateText(),
            ThroughputPerSecond = throughput,
            Gain = gain,
            Noise = noise,
            Utilisation = sample.Utilisation,
        };
        return new(target, interval, reason, trace) { IsTrial = target != _base };
    }

    // An unbroken run of equal holds shares the trace of the sample that began it: holding costs no memory.
    private ControllerTrace Unchanged(int target, DecisionReason reason, double throughput)
    {
        if (_holdTrace is null || _holdTrace.To != target || _holdTrace.Reason != reason || _holdState != State)
        {
            _holdState = State;
            _holdTrace = new ControllerTrace { From = target, To = target, Reason = reason, State = StateText(), ThroughputPerSecond = throughput };
        }

        return _holdTrace;
    }

    private string StateText()
    {
        string state = State switch
        {
            ControllerState.Usual => nameof(ControllerState.Usual),
            ControllerState.ModelTrial => nameof(ControllerState.ModelTrial),
            ControllerState.Rest => nameof(ControllerState.Rest),
            _ => nameof(ControllerState.DemandLimited),
        };
        if (_cause == DecisionReason.Initial)
        {
            return state;
        }

        string text = $"{state} after {_cause}";
        _cause = DecisionReason.Initial;
        return text;
    }
}
