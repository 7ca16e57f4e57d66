namespace AdaptivePool.Control;

/// <content>The wave: one period of samples, its reading, and the decision on it.</content>
internal sealed partial class AdaptiveSearch
{
    // A reading that lies more than this many standard deviations away from the belief has less weight.
    private const double ContradictionDeviations = 3;

    /// <summary>Standard deviations at which half a period of the wave decides (ADR 7). A lower value decides faster and errs more often.</summary>
    internal const double EarlyConfidence = 2.6;

    // A pair A B has half the samples of a period, and drift does not cancel in it.
    private const double PairVarianceFactor = 2.2;

    // The samples of the present wave so far.
    private readonly List<PoolSample> _samples = new(Period);

    private double NoiseOfPeriod() => _noise.Variance(SampleLengthRule.Completions(_base, _options));

    // The noise that more completions would not remove, and the noise of counting both samples.
    private double VarianceOfPair(double first, double second)
        => (PairVarianceFactor * _noise.Variance(double.PositiveInfinity)) + (1 / Math.Max(1, first)) + (1 / Math.Max(1, second));

    private SizeDecision OnWaveSample(in PoolSample sample)
    {
        if (_probe == _base)
        {
            Search(sample, mayRest: true);
            if (!IsSearching)
            {
                return Decide(sample, _base, DecisionReason.Hold);
            }
        }

        _samples.Add(sample);
        if (_samples.Count == 1)
        {
            return Decide(sample, _probe, IsModelProbe(sample) ? DecisionReason.ModelJump : DecisionReason.Wave);
        }

        if (_samples.Count == 2 && VarianceOfPair(_samples[0].Completions, sample.Completions) is var variance && IsClear(variance))
        {
            return EndPair(sample, variance);
        }

        if (_samples.Count < Period)
        {
            return Decide(sample, InForce, InForce == sample.Target ? DecisionReason.Hold : DecisionReason.Wave);
        }

        return EndPeriod(sample);
    }

    private SizeDecision OnSettlingSample(in PoolSample sample)
    {
        _settling = _settling.Drop(sample.Completions);
        return Decide(sample, InForce, DecisionReason.Hold);
    }

    // A pair decides when it answers the question either way.
    private bool IsClear(double variance)
    {
        StepEstimate known = _belief.Estimate(_base, _probe);
        double prior = Math.Max(known.Deviation * known.Deviation, 1e-12);
        double weight = (1 / prior) + (1 / variance);
        double mean = ((known.Gain / prior) + (PairContrast() / variance)) / weight;
        double utility = MoveRule.Utility(mean, _base, _probe);
        if (utility > 0 && IsTrusted)
        {
            // A pair may refuse a move, but only whole periods end a verified size.
            return false;
        }

        return Math.Abs(utility) > EarlyConfidence / Math.Sqrt(weight);
    }

    private double PairContrast() => LogThroughput(_samples[1]) - LogThroughput(_samples[0]);

    private SizeDecision EndPair(in PoolSample sample, double variance)
    {
        double contrast = PairContrast();
        Learn(contrast, variance);
        bool isBetter = MoveRule.Utility(_belief.Estimate(_base, _probe).Gain, _base, _probe) > 0;
        return isBetter ? Move(sample, _probe, contrast, Math.Sqrt(variance)) : Next(sample, contrast, Math.Sqrt(variance));
    }

    private SizeDecision EndPeriod(in PoolSample sample)
    {
        // Real and imaginary part of the ratio of the first harmonics of throughput and size, times the logarithm of the ratio of sizes. With four samples
        // the real part is how much more the two samples of the tried size brought, and the imaginary part is how much more each size brought later. A steady
        // drift affects only the imaginary part.
        (double before, double first) = (LogThroughput(_samples[0]), LogThroughput(_samples[1]));
        (double second, double after) = (LogThroughput(_samples[2]), LogThroughput(_samples[3]));
        double contrast = (first + second - before - after) / 2;
        _noise = _noise.With(Shape, contrast, quadrature: (second - first + after - before) / 2);
        double completions = 0;
        foreach (PoolSample part in _samples)
        {
            completions += part.Completions;
        }

        double variance = _noise.Variance(completions / Period);
        Learn(contrast, variance);
        return Next(sample, contrast, Math.Sqrt(variance));
    }

    private void Learn(double contrast, double variance)
    {
        StepEstimate known = _belief.Estimate(_base, _probe);
        double surprise = Math.Abs(contrast - known.Gain) / Math.Sqrt(variance + (known.Deviation * known.Deviation));
        if (surprise > ContradictionDeviations)
        {
            // A hiccup of the machine must not be believed. It has the weight of the last reading that would have been believed.
            variance *= surprise / ContradictionDeviations * (surprise / ContradictionDeviations);
        }

        _belief.Widen(Forgetting);
        _belief.Observe(_base, _probe, contrast, variance);
    }

    private SizeDecision Next(in PoolSample sample, double contrast, double noise)
    {
        int better = MoveRule.Choose(_belief, Shape, sample.MinTarget, sample.MaxTarget, Proof);
        if (better != _base)
        {
            return Move(sample, better, contrast, noise);
        }

        Search(sample, mayRest: true);
        if (IsSearching)
        {
            return Decide(sample, _base, DecisionReason.Hold, contrast, noise);
        }

        if (!IsHeld(sample))
        {
            _trust = _trust >= Trust.Answered ? Trust.Verified : Trust.Answered;
        }

        return Decide(sample, _base, DecisionReason.Optimized, contrast, noise);
    }

    private SizeDecision Move(in PoolSample sample, int size, double contrast, double noise)
    {
        if (size > _base && JumpGuard.IsFalseJump(sample.Connections, size, _options.MinConnectionsPerThread))
        {
            StartRest(sample);
            return Decide(sample, _base, DecisionReason.FalseJump, contrast, noise);
        }

        // Fewer threads that are as good, or fewer threads that are better.
        bool isEquivalent = size < _base && _belief.Estimate(_base, size) is var step && step.Gain < step.Deviation;
        DecisionReason reason = isEquivalent ? DecisionReason.Plateau : size > _base ? DecisionReason.JumpUp : DecisionReason.JumpDown;
        bool isMeasured = size == sample.Target;
        _base = size;
        _trust = _trust switch { Trust.Alarmed => Trust.None, Trust.Answered => Trust.Rested, _ => _trust };
        _rested = 0;
        _alarm.Reset(keepNoise: true);
        Search(sample, mayRest: false);
        if (!isMeasured || !IsSearching)
        {
            return Decide(sample, _base, reason, contrast, noise);
        }

        // The sample that proved the new size is the first of its wave.
        _samples.Add(sample);
        return Decide(sample, _probe, reason, contrast, noise);
    }

    private static double LogThroughput(in PoolSample sample) => Math.Log(Math.Max(sample.Completions, 0.5) / sample.Elapsed.TotalSeconds);
}
