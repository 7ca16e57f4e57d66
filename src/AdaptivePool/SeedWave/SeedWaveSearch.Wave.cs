namespace AdaptivePool.SeedWave;

/// <content>The state Usual: an upward wave of growing height, real parts that are summed until they pass a threshold, jumps inside a bracket.</content>
internal sealed partial class SeedWaveSearch
{
    private WaveShape _shape;
    private SeedReading _reading;
    private double _progress;
    private double _progressSoFar = double.NaN;
    private double _baseThroughput;
    private int _baseSamples;
    private int _samples;
    private int _phase;
    private int _magnitude = options.MinWaveMagnitude;
    private int _direction;

    private void StartWave()
    {
        State = ControllerState.Usual;
        _history.Clear();
        _progress = 0;
        _baseThroughput = 0;
        _baseSamples = 0;
        _samples = 0;
        _phase = 0;
        if (_base >= _max)
        {
            // The wave needs room above the present size. At the upper bound the present size is reduced.
            _base = Math.Clamp(_max - _magnitude, _min, _max);
        }

        _shape = WaveShape.Absolute(_base, _magnitude, _options.WavePeriod, _max);
    }

    private SizeDecision OnWaveSample(in PoolSample sample, double throughput)
    {
        _history.Add(_inForce, throughput);
        if (_inForce == _base)
        {
            _baseThroughput += throughput;
            _baseSamples++;
        }

        _samples++;
        _phase = (_phase + 1) % _shape.Period;
        if (_history.Count >= _options.FirstEvaluationSamples && (_phase == 0 || !_options.EvaluateOncePerPeriod))
        {
            ReadWave();
        }

        _progressSoFar = _progress;
        if (Math.Abs(_progress) >= _options.ValuableProgress)
        {
            return IsKnownCurve() ? Jump(sample, throughput, _progress > 0) : Decide(throughput, _base, BeginAgain(DecisionReason.WorkloadChange));
        }

        if (_samples >= _options.MagnitudePatience)
        {
            return IsKnownCurve() ? RaiseWave(throughput) : Decide(throughput, _base, BeginAgain(DecisionReason.WorkloadChange));
        }

        int next = _shape.SizeAt(_phase);
        return Decide(throughput, next, next == _inForce ? DecisionReason.Hold : DecisionReason.Wave);
    }

    private void ReadWave()
    {
        int window = _history.Count / _shape.Period * _shape.Period;
        WaveReading wave = WaveAnalysis.Read(_history.Sizes(window), _history.Throughputs(window), _shape.Period);
        _reading = SeedReading.Of(wave, _options.InvertHarmonicRatio);
        if (_reading.IsUsable)
        {
            _progress += _reading.Step(_options.WeighProgressByConfidence);
        }
    }

    private bool IsKnownCurve() => _baseSamples == 0 || !_map.Learn(_base, _baseThroughput / _baseSamples);

    private SizeDecision RaiseWave(double throughput)
    {
        _magnitude = (int)Math.Min(_options.MaxWaveMagnitude, Math.Max(_magnitude + 1, Math.Round(_magnitude * _options.MagnitudeGrowth)));
        if (_magnitude >= _options.MaxWaveMagnitude)
        {
            return StartPlateau(throughput);
        }

        StartWave();
        return Decide(throughput, _base, DecisionReason.Hold);
    }

    private SizeDecision Jump(in PoolSample sample, double throughput, bool isUp)
    {
        if (isUp && JumpGuard.IsFalseJump(sample.Connections, _shape.High, _options.MinConnectionsPerThread))
        {
            StartWave();
            return Decide(throughput, _base, DecisionReason.FalseJump);
        }

        double height = _shape.High - _shape.Low;
        double wanted = isUp ? _base + _magnitude : _base - LengthDown(height);
        if (isUp)
        {
            _scaling.Add(height, _reading.Real);
            _bracket.Rise(_base);
        }
        else
        {
            _bracket.Fall(_base);
        }

        int size = _bracket.Place(_base, wanted, _min, _max, _options.ForgetPassedBounds);
        if (_bracket.IsNarrow(_options.BracketWidth, _min, _max))
        {
            return Optimize(sample, throughput, size);
        }

        int direction = isUp ? 1 : -1;
        _magnitude = direction == -_direction ? _options.MinWaveMagnitude : _magnitude;
        _direction = direction;
        _base = size;
        StartWave();
        return Decide(throughput, _base, isUp ? DecisionReason.JumpUp : DecisionReason.JumpDown);
    }

    private double LengthDown(double height)
    {
        double longest = _base - (_base / _options.MaxDownRatio);
        double progress = _options.FirstDownScale is double scale ? height / scale : _options.ValuableProgress;
        return _scaling.Down(_reading.Real, height, progress, longest);
    }
}
