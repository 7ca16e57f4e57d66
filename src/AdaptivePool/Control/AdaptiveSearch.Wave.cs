namespace AdaptivePool.Control;

/// <content>The wave: one period of samples, its reading, and the decision on it.</content>
internal sealed partial class AdaptiveSearch
{
    // A reading further away from what is believed than this many standard deviations counts as one that is as far: a hiccup must not be believed.
    private const double MostSurprise = 3;

    // A pair A B has half the samples of a period, and drift does not cancel in it.
    private const double PairVarianceFactor = 2.2;

    // Going down early needs less proof: it is cheap to take back, because the round of the smaller pool is shorter.
    private const double EarlyDownShare = 0.77;

    // A fall so steep that even an unsettled sample of the lower size is this much better, besides the noise.
    private const double SteepGain = 0.1;
    private const double SteepDeviations = 3;
    private const double UnsettledVarianceFactor = 4;
    private const int LeastEarlyCompletions = 20;

    private PeriodReading? _lastPeriod;
    private double _completions;
    private bool _isFirst;

    private bool IsSearching => State is ControllerState.Usual or ControllerState.Plateau;

    private double NoiseOfPeriod() => _noise.Variance(SampleLengthRule.Completions(_base, _options));

    // What more completions would not remove, and the noise of counting both samples.
    private double VarianceOfPair(double first, double second)
        => (PairVarianceFactor * _noise.Variance(double.PositiveInfinity)) + (1 / Math.Max(1, first)) + (1 / Math.Max(1, second));

    private SizeDecision OnWaveSample(in PoolSample sample)
    {
        if (_probe == _base)
        {
            Search(sample, mayRest: false);
            if (!IsSearching)
            {
                return OnRestSample(sample);
            }
        }

        Take(sample);
        if (_count == 1)
        {
            _isFirst = false;
            bool isModel = ModelSize() > _base && _probe > Math.Max(_base + 1, _options.MaxUpRatio * _base);
            return Decide(sample, isModel ? DecisionReason.ModelJump : DecisionReason.Wave);
        }

        double first = _completions - sample.Completions;
        if (_count == 2 && VarianceOfPair(first, sample.Completions) is var variance && IsClear(variance))
        {
            return EndPair(sample, variance);
        }

        return _count == Period ? EndPeriod(sample) : Decide(sample, Target == sample.Target ? DecisionReason.Hold : DecisionReason.Wave);
    }

    private void Take(in PoolSample sample)
    {
        _completions = sample.Completions + (_count > 0 ? _completions : 0);
        _logs[_count++] = Math.Log(Math.Max(sample.Completions, 0.5) / sample.Elapsed.TotalSeconds);
    }

    // While a deep fall drains, the lower size may prove itself before its threads have settled: from far above the best size a full round takes minutes.
    private SizeDecision OnSettlingSample(in PoolSample sample)
    {
        bool isDrained = Leaving(sample.Target) <= sample.Completions;
        _settling.Drop(sample.Completions, SampleLengthRule.SettleCompletions(sample.Target, sample.Target, _options));
        bool isDownProbe = !_isVerified && IsSearching && _probe < _base && _count == 1;
        if (isDownProbe && isDrained && sample.Completions >= LeastEarlyCompletions)
        {
            double variance = VarianceOfPair(_completions, sample.Completions);
            double gain = Math.Log(sample.Completions / sample.Elapsed.TotalSeconds) - _logs[0];
            if (gain > SteepGain + (SteepDeviations * Math.Sqrt(variance)))
            {
                _settling.End();
                Take(sample);
                return EndPair(sample, UnsettledVarianceFactor * variance);
            }
        }

        return Decide(sample, DecisionReason.Hold);
    }

    // A pair decides when it settles the question either way.
    private bool IsClear(double variance)
    {
        StepEstimate known = _belief.Estimate(_base, _probe);
        double prior = Math.Max(known.Deviation * known.Deviation, 1e-12);
        double weight = (1 / prior) + (1 / variance);
        double mean = ((known.Gain / prior) + (PairContrast() / variance)) / weight;
        double utility = MoveRule.Utility(mean, _base, _probe, _options);
        double wanted = _options.EarlyConfidence;
        if (utility > 0 && _isVerified)
        {
            // A pair may say no, but a verified size is left by whole periods only.
            return false;
        }

        if (utility > 0)
        {
            wanted = _probe < _base ? EarlyDownShare * wanted : Math.Max(wanted, MoveRule.UpConfidence(IsFull, _isVerified, _options));
        }

        return Math.Abs(utility) > wanted / Math.Sqrt(weight);
    }

    private double PairContrast() => _logs[1] - _logs[0];

    private SizeDecision EndPair(in PoolSample sample, double variance)
    {
        double contrast = PairContrast();
        Learn(contrast, variance);
        bool isBetter = MoveRule.Utility(_belief.Estimate(_base, _probe).Gain, _base, _probe, _options) > 0;
        return isBetter ? Move(sample, _probe, contrast, Math.Sqrt(variance)) : Next(sample, contrast, Math.Sqrt(variance));
    }

    private SizeDecision EndPeriod(in PoolSample sample)
    {
        // Real and imaginary part of the first harmonic of A B B A over that of the sizes, times the logarithm of their ratio. A steady drift is in the latter
        // only.
        double contrast = (_logs[1] + _logs[2] - _logs[0] - _logs[3]) / 2;
        double quadrature = (_logs[2] + _logs[3] - _logs[0] - _logs[1]) / 2;
        bool isSame = _lastPeriod is { } last && last.Base == _base && last.Probe == _probe;
        _noise.Add(contrast, quadrature, isSame ? _lastPeriod!.Contrast : double.NaN);
        _lastPeriod = new(_base, _probe, contrast);
        double variance = _noise.Variance(_completions / Period);
        Learn(contrast, variance);
        if (_alarm.Observe(sample) != WorkloadAlarmRule.Signals.None)
        {
            return OnChange(sample);
        }

        return Next(sample, contrast, Math.Sqrt(variance));
    }

    private void Learn(double contrast, double variance)
    {
        StepEstimate known = _belief.Estimate(_base, _probe);
        double surprise = Math.Abs(contrast - known.Gain) / Math.Sqrt(variance + (known.Deviation * known.Deviation));
        double excess = Math.Max(1, surprise / MostSurprise);
        _belief.Widen(_options.Forgetting);
        _belief.Observe(_base, _probe, contrast, variance * excess * excess);
        JudgeModel(contrast);
    }

    private SizeDecision Next(in PoolSample sample, double contrast, double noise)
    {
        int better = MoveRule.Choose(_belief, Shape, sample.MinTarget, sample.MaxTarget, IsFull, _isVerified, _options);
        if (better != _base)
        {
            return Move(sample, better, contrast, noise);
        }

        Search(sample, mayRest: true);
        return Decide(sample, State == ControllerState.Optimized ? DecisionReason.Optimized : DecisionReason.Hold, contrast, noise);
    }

    private SizeDecision Move(in PoolSample sample, int size, double contrast, double noise)
    {
        if (size > _base && JumpGuard.IsFalseJump(sample.Connections, size, _options.MinConnectionsPerThread))
        {
            StartRest(sample);
            return Decide(sample, DecisionReason.FalseJump, contrast, noise);
        }

        // Fewer threads that are as good, or fewer that are better.
        bool isEquivalent = size < _base && _belief.Estimate(_base, size) is var step && step.Gain < step.Deviation;
        DecisionReason reason = isEquivalent ? DecisionReason.Plateau : size > _base ? DecisionReason.JumpUp : DecisionReason.JumpDown;
        _base = size;
        _nextRest = _options.FirstRestSamples;
        _alarm.Reset(keepNoise: true);
        BeginWave();
        if (size == sample.Target)
        {
            // The sample that proved the new size is the first of its wave.
            _utilisation = sample.Utilisation;
            Search(sample, mayRest: false);
            Take(sample);
        }

        return Decide(sample, reason, contrast, noise);
    }

    // What the period before said.
    private sealed record PeriodReading(int Base, int Probe, double Contrast);
}
