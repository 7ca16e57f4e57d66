namespace AdaptivePool.SeedWave;

/// <summary>
/// The search of the founding document (seed 000, "Our solution"): a wave upwards in Usual, steps down to the knee in Plateau, no wave in Optimized, and a
/// restart whenever something outside has changed. It starts from the size of its first sample.
/// </summary>
/// <param name="options">The options, validated. Points that cannot be solved are refused with an <see cref="ArgumentOutOfRangeException"/>.</param>
internal sealed partial class SeedWaveSearch(SeedWaveOptions options) : ISizeSearch
{
    private readonly SeedWaveOptions _options = options;
    private readonly SampleHistory _history = new(options.WavePeriod * options.SamplesToWavePeriodRatio);
    private readonly SampleHistory _lastPeriod = new(options.WavePeriod);
    private readonly JumpScaling _scaling = new();
    private readonly SizeBracket _bracket = new();
    private readonly WorkloadMap _map = new(options.KnownPoints, options.ValuableDifference, options.SplineInterpolation, options.MissesInARow);
    private readonly OptimumWatch _watch = new(options.ValuableDifference, options.SamplesOutOfBand);
    private readonly PlateauStep _step = new(options.PlateauPoints);
    private readonly SharedTrace _holdTrace = new();
    private DecisionReason _cause = DecisionReason.Initial;
    private int _base;
    private int _inForce;
    private int _initial;
    private int _min = 1;
    private int _max = int.MaxValue;
    private double _best;
    private bool _isSuspended;
    private bool _hasNoConnections;

    /// <inheritdoc/>
    public ControllerState State { get; private set; }

    /// <inheritdoc/>
    public int BaseSize => _base;

    /// <inheritdoc/>
    public int InForce => _inForce;

    /// <inheritdoc/>
    public SizeDecision Update(in PoolSample sample)
    {
        double throughput = sample.Completions / sample.Elapsed.TotalSeconds;
        _reading = default;
        _progressSoFar = double.NaN;
        (_min, _max) = (sample.MinTarget, sample.MaxTarget);
        DecisionReason outside = Adopt(sample) is var adopted and not DecisionReason.Hold ? adopted : LookOutside(sample, throughput);
        if (outside != DecisionReason.Hold)
        {
            return Decide(throughput, _base, outside);
        }

        return State switch
        {
            ControllerState.Plateau => OnPlateauSample(sample, throughput),
            ControllerState.Optimized => OnOptimizedSample(sample, throughput),
            _ => OnWaveSample(sample, throughput),
        };
    }

    /// <inheritdoc/>
    public void Reinitialize(int target, DecisionReason reason)
    {
        _inForce = target;
        _initial = target;
        Restart(target, reason);
    }

    private DecisionReason Adopt(in PoolSample sample)
    {
        if (_inForce == 0 || sample.Target != _inForce)
        {
            DecisionReason reason = _inForce == 0 ? DecisionReason.Initial : DecisionReason.ManualResize;
            Reinitialize(Math.Clamp(sample.Target, _min, _max), reason);
            return reason;
        }

        if (_base < _min || _base > _max)
        {
            Restart(_base, DecisionReason.ManualResize);
            return DecisionReason.ManualResize;
        }

        if (State == ControllerState.Usual && _shape.High > _max)
        {
            // The present size is still allowed, but the probed one is not. A lower wave starts from the beginning.
            StartWave();
            return DecisionReason.ManualResize;
        }

        return DecisionReason.Hold;
    }

    // The cases in which update() itself suspends the search or starts it again, in any state.
    private DecisionReason LookOutside(in PoolSample sample, double throughput)
    {
        if (sample.Connections == 0)
        {
            if (!_hasNoConnections)
            {
                Restart(SizeToRestartFrom(), DecisionReason.NoConnections);
                _hasNoConnections = true;
            }

            return DecisionReason.NoConnections;
        }

        // The seed's min_accepted_throughput: so few items complete that a search is not practical.
        double least = _options.MinThroughputIsPercentOfBest ? _options.MinAcceptedThroughput / 100 * _best : _options.MinAcceptedThroughput;
        if (throughput < least)
        {
            _isSuspended = true;
            return DecisionReason.Suspended;
        }

        if (_hasNoConnections || _isSuspended)
        {
            return BeginAgain(DecisionReason.Reinitialized);
        }

        // The decline is larger than a change of size can explain. The result is false when there is nothing to compare with.
        bool isSteep = throughput < (1 - _options.SteepDecline) * DeclineReference();
        _lastPeriod.Add(_inForce, throughput);
        _best = Math.Max(_best, throughput);
        return isSteep ? BeginAgain(DecisionReason.SteepDecline) : DecisionReason.Hold;
    }

    private double DeclineReference()
    {
        if (_options.CompareWithPreviousSample)
        {
            return _lastPeriod.Count > 0 ? _lastPeriod.Throughputs(1)[0] : double.NaN;
        }

        bool isComparable = _lastPeriod.Count == _options.WavePeriod && _lastPeriod.Sizes(_options.WavePeriod)[0] == _inForce;
        return isComparable ? _lastPeriod.Throughputs(_options.WavePeriod)[0] : double.NaN;
    }

    private DecisionReason BeginAgain(DecisionReason reason)
    {
        Restart(SizeToRestartFrom(), reason);
        return reason;
    }

    private int SizeToRestartFrom() => _options.RestartFromInitialSize ? _initial : _base;

    private void Restart(int size, DecisionReason cause)
    {
        _cause = cause;
        _base = Math.Clamp(size, _min, _max);
        _best = 0;
        _isSuspended = false;
        _hasNoConnections = false;
        _magnitude = _options.MinWaveMagnitude;
        _direction = 0;
        _holdTrace.End();
        _lastPeriod.Clear();
        _scaling.Clear();
        _bracket.Clear();
        _map.Clear();
        _watch.Clear();
        StartWave();
    }

    // Every path into Optimized ends here: from the progress of the wave and from the steps of the plateau.
    private SizeDecision Optimize(in PoolSample sample, double throughput, int size)
    {
        if (JumpGuard.IsFalseTransition(sample.Connections, size, _options.MaxThreadsAboveConnections))
        {
            return Decide(throughput, _base, BeginAgain(DecisionReason.FalseTransition));
        }

        _base = size;
        State = ControllerState.Optimized;
        _watch.Clear();
        return Decide(throughput, _base, DecisionReason.Optimized);
    }

    private SizeDecision OnOptimizedSample(in PoolSample sample, double throughput)
    {
        TimeSpan latency = sample.MeanServiceTime > TimeSpan.Zero ? sample.MeanQueueWait + sample.MeanServiceTime : TimeSpan.Zero;
        if (!_watch.IsFixed)
        {
            // The first sample at this size: the entry was decided on samples of other sizes.
            _watch.Fix(throughput, sample.Connections, latency);
        }
        else if (_watch.IsLost(throughput, sample.Connections, latency))
        {
            Restart(SizeToRestartFrom(), DecisionReason.OptimumLost);

            // With more threads than clients some threads are idle for certain, so this is the flat part of the curve.
            return sample.Connections < _base ? StartPlateau(throughput) : Decide(throughput, _base, DecisionReason.OptimumLost);
        }

        return Decide(throughput, _base, DecisionReason.Hold);
    }

    // The trace is the founding document's dump_log(), as data.
    private SizeDecision Decide(double throughput, int target, DecisionReason reason)
    {
        int from = _inForce;
        _inForce = target;
        string state = StateText.Tell(State, ref _cause);
        bool isQuiet = from == target && !_reading.IsUsable && reason is DecisionReason.Hold or DecisionReason.Suspended or DecisionReason.NoConnections;
        ControllerTrace trace = isQuiet ? _holdTrace.Hold(target, reason, state, throughput) : _holdTrace.End(new()
        {
            From = from,
            To = target,
            Reason = reason,
            State = state,
            ThroughputPerSecond = throughput,
            Gain = _reading.IsUsable ? _reading.Real : double.NaN,
            Noise = _reading.IsUsable ? _reading.Noise : double.NaN,
            Confidence = _reading.IsUsable ? _reading.Confidence : double.NaN,
            Progress = _progressSoFar,
        });
        return new(target, _options.SamplePeriod, reason, trace) { IsTrial = target != _base };
    }
}
