namespace AdaptivePool.Control;

/// <content>The founding document's way: an upward wave of growing height, real parts summed until they pass a threshold.</content>
public sealed partial class HillClimbingController
{
    // The harmonic of one period alone is not trusted: the seed's engine begins after two.
    private const int FirstPeriods = 2;

    private double _progress;
    private int _magnitude;
    private int _idlePeriods;
    private int _direction;

    private void StartAccumulating()
    {
        _idlePeriods = 0;
        WaveShape shape = UpwardWave();
        if (shape.IsFlat || shape.High - shape.Low < Math.Min(_magnitude, _max - _min))
        {
            // The wave needs room above: at the bound the present size gives way.
            _base = JumpGuard.Clamp((double)_max - _magnitude, _min, _max);
            shape = UpwardWave();
        }

        StartWave(shape);
    }

    private WaveShape UpwardWave() => _options.Magnitude == WaveMagnitude.Absolute
        ? WaveShape.Absolute(_base, _magnitude, _options.WavePeriod, _max)
        : Wave(WaveSide.Up);

    private SizeDecision EvaluateAccumulated(in PoolSample sample)
    {
        int periods = _history.Count / _shape.Period;
        int window = periods * _shape.Period;
        WaveReading reading = WaveAnalysis.Read(_history.Sizes(window), _history.Throughputs(window), _shape.Period);
        double height = _shape.High - _shape.Low;
        StartPeriod();
        if (periods < FirstPeriods || !reading.IsUsable)
        {
            return Decide(sample, _base, DecisionReason.Hold);
        }

        double noise = Math.Abs(reading.Quadrature);
        _progress += reading.Elasticity;
        _idlePeriods++;
        if (Math.Abs(_progress) < _options.ValuableProgress)
        {
            if (_idlePeriods >= _options.SamplesToWavePeriodRatio)
            {
                _magnitude = Math.Min(2 * _magnitude, _options.MaxWaveMagnitude);
                StartSearch();
            }

            return Decide(sample, _base, DecisionReason.Hold, reading.Elasticity, noise);
        }

        bool isUp = _progress > 0;
        _progress = 0;
        if (isUp && JumpGuard.IsFalseJump(sample.Connections, _shape.High, _options.MinConnectionsPerThread))
        {
            StartSearch();
            return Decide(sample, _base, DecisionReason.FalseJump, reading.Elasticity, noise);
        }

        if (isUp)
        {
            _scaling.Add(height, reading.Elasticity);
            _base = _shape.High;
        }
        else
        {
            double longest = _base - (_base / _options.MaxDownRatio);
            _base = JumpGuard.Clamp(Math.Round(_base - _scaling.Down(reading.Elasticity, height, _options.ValuableProgress, longest)), _min, _max);
        }

        Turn(isUp ? 1 : -1);
        StartSearch();
        return Decide(sample, _base, isUp ? DecisionReason.JumpUp : DecisionReason.JumpDown, reading.Elasticity, noise);
    }

    private void Turn(int direction)
    {
        if (direction != _direction)
        {
            _magnitude = _options.MinWaveMagnitude;
        }

        _direction = direction;
    }
}
