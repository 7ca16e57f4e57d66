namespace AdaptivePool.Control;

/// <content>The wave: one period of samples, its reading, and the decision on it.</content>
public sealed partial class HillClimbingController
{
    // Two readings in a row this many standard deviations away from what is known: the curve is another one.
    private const double ContradictionDeviations = 3;

    // A change of level during a rest keeps a little of what is known: the shape of the curve may be the same.
    private const double KeptAfterLevelChange = 0.1;

    // A long rest is followed by more than one period: a wrong certainty must be able to wear off.
    private const int RestSamplesPerPeriod = 32;

    private const double SaturatedPatience = 0.25;

    private double _previousContrast = double.NaN;
    private double _completions;
    private double _baseThroughput;
    private double _baseUtilisation;
    private double _restLevel = double.NaN;
    private int _baseSamples;
    private int _contradictions;
    private int _upPeriods;
    private int _restLeft;
    private int _levelMisses;
    private bool _isPause;
    private int _periodsDue;
    private long _probes;

    // With the machine used up a gain above is unlikely: it is still asked for, but seldom.
    private double UpPatience => _baseSamples > 0 && _baseUtilisation / _baseSamples >= _options.MaxModelUtilisation
        ? _options.UpPatience * SaturatedPatience
        : _options.UpPatience;

    private void StartSearch()
    {
        _history.Clear();
        if (_options.Evidence == EvidenceKind.Accumulated)
        {
            StartAccumulating();
            return;
        }

        WaveShape down = Wave(WaveSide.Down);
        StartWave(down.IsFlat ? Wave(WaveSide.Up) : down);
    }

    private void StartWave(WaveShape shape)
    {
        if (shape.IsFlat)
        {
            StartRest();
            return;
        }

        if (shape != _shape)
        {
            _previousContrast = double.NaN;
        }

        State = ControllerState.Usual;
        _shape = shape;
        StartPeriod();
    }

    private void StartPeriod()
    {
        _phase = 0;
        _completions = 0;
        _baseThroughput = 0;
        _baseUtilisation = 0;
        _baseSamples = 0;
    }

    private void StartRest(bool isPause = false)
    {
        State = ControllerState.Rest;
        _isPause = isPause;
        _restLeft = isPause ? _rest.NextPause() : _rest.Next();
        _periodsDue = Math.Max(1, _restLeft / RestSamplesPerPeriod);
        _restLevel = double.NaN;
        _levelMisses = 0;
    }

    private WaveShape Wave(WaveSide side)
        => WaveShape.Relative(_base, side, _options.WaveRatio, _options.WavePeriod, _min, _max);

    private SizeDecision OnWaveSample(in PoolSample sample, double throughput)
    {
        _history.Add(_inForce, throughput);
        _completions += sample.Completions;
        if (!_shape.IsProbe(_phase))
        {
            _baseSamples++;
            _baseThroughput += throughput;
            _baseUtilisation += sample.Utilisation;
        }

        _phase++;
        if (_phase < _shape.Period)
        {
            int next = _shape.SizeAt(_phase);
            return Decide(sample, next, next == _inForce ? DecisionReason.Hold : DecisionReason.Wave);
        }

        return _options.Evidence == EvidenceKind.Accumulated ? EvaluateAccumulated(sample) : EvaluateSequential(sample);
    }

    private SizeDecision EvaluateSequential(in PoolSample sample)
    {
        WaveReading reading = WaveAnalysis.Read(_history.Sizes(_shape.Period), _history.Throughputs(_shape.Period), _shape.Period);
        if (!reading.IsUsable)
        {
            StartPeriod();
            return Decide(sample, _base, DecisionReason.Hold);
        }

        bool isNewCurve = Learn(reading);
        double contrast = reading.Elasticity * _shape.LogRatio;
        double noise = NoiseOfPeriod();
        if (isNewCurve)
        {
            StartSearch();
            return Decide(sample, _base, DecisionReason.Reinitialized, contrast, noise);
        }

        WaveShape down = Wave(WaveSide.Down);
        WaveShape up = Wave(WaveSide.Up);
        StepVerdict verdict = StepRule.Decide(down, up, _evidence, UpPatience, _upPeriods, _probes, _options);
        int proposal = ProposeModel(sample, verdict, up);
        if (proposal > 0)
        {
            return StartTrial(sample, proposal);
        }

        switch (verdict)
        {
            case StepVerdict.Up when JumpGuard.IsFalseJump(sample.Connections, up.High, _options.MinConnectionsPerThread):
                StartRest();
                return Decide(sample, _base, DecisionReason.FalseJump, contrast, noise);
            case StepVerdict.Up:
                return JumpUp(sample, up);
            case StepVerdict.Down:
                return JumpDown(sample, down);
            case StepVerdict.ProbeDown:
                StartWave(down);
                break;
            case StepVerdict.ProbeUp:
                StartWave(up);
                break;
            case StepVerdict.Stay or StepVerdict.Pause when --_periodsDue > 0:
                StartWave(_shape);
                break;
            case StepVerdict.Pause:
                StartRest(isPause: true);
                break;
            default:
                StartRest();
                break;
        }

        return Decide(sample, _base, DecisionReason.Hold);
    }

    private bool Learn(in WaveReading reading)
    {
        double contrast = reading.Elasticity * _shape.LogRatio;
        StepEstimate known = _evidence.Estimate(_shape.Low, _shape.High);
        double variance = _noise.Variance(_completions / _shape.Period);
        double surprise = Math.Abs(contrast - known.Gain) / Math.Sqrt(variance + (known.Deviation * known.Deviation));
        _contradictions = known.Weight > 0 && surprise > ContradictionDeviations ? _contradictions + 1 : 0;
        _noise.Add(contrast, reading.Quadrature * _shape.LogRatio, _previousContrast);
        _previousContrast = contrast;
        _probes++;
        _upPeriods += _shape.Side == WaveSide.Up ? 1 : 0;
        bool isNewCurve = _contradictions >= 2;
        if (isNewCurve)
        {
            ForgetCurve();
        }

        _evidence.Add(_shape.Low, _shape.High, contrast, _noise.Variance(_completions / _shape.Period));
        return isNewCurve;
    }

    private double NoiseOfPeriod() => Math.Sqrt(_noise.Variance(_completions / _shape.Period));

    private SizeDecision JumpUp(in PoolSample sample, in WaveShape up)
    {
        StepEstimate step = _evidence.Estimate(up.Low, up.High);
        _scaling.Add(up.LogRatio, step.Gain / up.LogRatio);
        return MoveTo(sample, up.High, DecisionReason.JumpUp, step);
    }

    private SizeDecision JumpDown(in PoolSample sample, in WaveShape down)
    {
        StepEstimate step = _evidence.Estimate(down.Low, down.High);
        int target = down.Low;
        if (step.Gain + step.Deviation < 0)
        {
            double slope = step.Gain / down.LogRatio;
            double jump = _scaling.Down(slope, down.LogRatio, _options.ValuableProgress, Math.Log(_options.MaxDownRatio));
            target = Math.Min(target, JumpGuard.Clamp(Math.Round(_base * Math.Exp(-jump)), _min, _max));
        }

        return MoveTo(sample, target, DecisionReason.JumpDown, step);
    }

    private SizeDecision MoveTo(in PoolSample sample, int size, DecisionReason reason, StepEstimate step)
    {
        _base = size;
        _upPeriods = 0;
        _contradictions = 0;
        _rest.Reset();
        WaveShape down = Wave(WaveSide.Down);
        WaveShape up = Wave(WaveSide.Up);

        // No second move without a new reading: what is known of the next step only decides where to ask first.
        switch (StepRule.Decide(down, up, _evidence, UpPatience, _upPeriods, _probes, _options))
        {
            case StepVerdict.Up or StepVerdict.ProbeUp:
                StartWave(up);
                break;
            case StepVerdict.Down or StepVerdict.ProbeDown:
                StartWave(down);
                break;
            case StepVerdict.Pause:
                StartRest(isPause: true);
                break;
            default:
                StartRest();
                break;
        }

        return Decide(sample, _base, reason, step.Gain, step.Deviation);
    }

    private SizeDecision OnRestSample(in PoolSample sample, double throughput)
    {
        _restLeft--;
        bool hasChanged = throughput > 0 && HasLevelChanged(Math.Log(throughput));
        if (hasChanged)
        {
            _evidence.Fade(KeptAfterLevelChange);
            _rest.Reset();
        }

        if (_restLeft <= 0 || hasChanged)
        {
            WaveShape down = Wave(WaveSide.Down);
            WaveShape up = Wave(WaveSide.Up);
            WaveSide side = _isPause && !hasChanged ? WaveSide.Up : StepRule.SideAfterRest(down, up, _evidence, _probes, _options);
            StartWave(side == WaveSide.Down ? down : up);
        }

        return Decide(sample, _base, DecisionReason.Hold);
    }

    private bool HasLevelChanged(double level)
    {
        if (double.IsNaN(_restLevel))
        {
            _restLevel = level;
            return false;
        }

        double band = Math.Max(Math.Log(1 + _options.ValuableDifference), ContradictionDeviations * NoiseOfPeriod());
        _levelMisses = Math.Abs(level - _restLevel) > band ? _levelMisses + 1 : 0;
        if (_levelMisses == 0)
        {
            _restLevel += 0.1 * (level - _restLevel);
        }

        return _levelMisses >= 2;
    }
}
