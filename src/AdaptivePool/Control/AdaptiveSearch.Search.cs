namespace AdaptivePool.Control;

/// <content>What to try next, what the model N / utilisation adds, and the rest when nothing is to be gained.</content>
internal sealed partial class AdaptiveSearch
{
    // The model says nothing where its promise lies so many deviations above what is believed.
    private const double ModelDeviations = 2;

    /// <summary>Share of its certainty that the belief gives up at every reading: an answer of 500 readings ago is asked again (ADR 7).</summary>
    internal const double Forgetting = 0.002;

    // Samples for which the search has rested at its base, in one rest after the other.
    private long _rested;

    // Fewer threads that bring less, and are worth more all the same.
    private bool LooksFlat => _probe < _base && _belief.Estimate(_base, _probe).Gain is < 0 and var gain && MoveRule.Utility(gain, _base, _probe) > 0;

    /// <summary>
    /// The size that the model N / utilisation proposes, in threads; the present size when it has nothing to say. Below the knee every thread keeps the same
    /// share of the machine busy, so the size that would use it up is N / u; above the knee the model answers N and is no information. It is only a proposal:
    /// the gain decides afterwards.
    /// </summary>
    /// <param name="size">The present size, in threads.</param>
    /// <param name="utilisation">Own CPU use over own plus idle CPU; NaN when not known.</param>
    /// <param name="maxUtilisation">Utilisation from which the machine counts as used up.</param>
    /// <param name="maxRatio">Longest jump, as a ratio of the present size.</param>
    internal static int ModelSize(int size, double utilisation, double maxUtilisation, double maxRatio)
    {
        if (!(utilisation > 0) || utilisation >= maxUtilisation)
        {
            return size;
        }

        return (int)Math.Min(Math.Min(size * maxRatio, Math.Ceiling(size / utilisation)), int.MaxValue);
    }

    // There is one size only: it is watched, and asked about as soon as there is room.
    private static bool IsHeld(in PoolSample sample) => sample.MinTarget == sample.MaxTarget;

    // At the base: of this sample, or of the one with which the wave began.
    private double Utilisation(in PoolSample sample)
        => sample.Target == _base ? sample.Utilisation : _samples.Count > 0 && _samples[0].Target == _base ? _samples[0].Utilisation : double.NaN;

    private void Search(in PoolSample sample, bool mayRest)
    {
        var situation = new ProbeSituation
        {
            Base = _base,
            Min = sample.MinTarget,
            Max = sample.MaxTarget,
            Cores = sample.Cores,
            Utilisation = Utilisation(sample),
            ModelSize = ModelSize(sample),
            Noise = NoiseOfPeriod(),
        };
        Probe probe = ProbeRule.Choose(_belief, situation, _options);
        if (probe.Size == _base || (mayRest && probe.Improvement < _options.MinImprovement))
        {
            StartRest(sample);
            return;
        }

        BeginWave(probe.Size);
    }

    private void BeginWave(int probe)
    {
        _probe = probe;
        _samples.Clear();
    }

    private bool IsModelProbe(in PoolSample sample) => ModelSize(sample) > _base && _probe > Math.Max(_base + 1, _options.MaxUpRatio * _base);

    private int ModelSize(in PoolSample sample)
    {
        double utilisation = Utilisation(sample);
        int size = _options.ModelJump ? Math.Min(sample.MaxTarget, ModelSize(_base, utilisation, _options.MaxModelUtilisation, _options.MaxModelRatio)) : _base;
        return size > _base && IsPlausible(size, utilisation) ? size : _base;
    }

    // Where measurements say that too little of its promise would come true, the model is not asked until they have worn off.
    private bool IsPlausible(int size, double utilisation)
    {
        StepEstimate known = _belief.Estimate(_base, size);
        double promise = Math.Min(-Math.Log(utilisation), Math.Log((double)size / _base));
        return known.Gain + (ModelDeviations * known.Deviation) >= _options.ModelGainShare * promise;
    }

    private void StartRest(in PoolSample sample)
    {
        _trust = _trust <= Trust.Alarmed && !IsHeld(sample) ? Trust.Rested : _trust;
        _probe = 0;

        // Where nothing may be tried a question falls due as soon as something may.
        _rested += IsHeld(sample) ? 0 : 1;
    }

    private SizeDecision OnRestSample(in PoolSample sample)
    {
        if (!IsHeld(sample) && IsQuestionDue())
        {
            // One question after each rest, however certain the answer: a wrong certainty must be able to wear off.
            _belief.Widen(Forgetting);
            Search(sample, mayRest: false);
        }
        else if (!IsHeld(sample))
        {
            _rested++;
        }

        return Decide(sample, _base, DecisionReason.Hold);
    }

    // At the end of each rest, which is twice as long as the one before, up to the longest.
    private bool IsQuestionDue()
    {
        long left = _rested;
        for (long rest = _options.FirstRestSamples; left > 0 && rest < _options.MaxRestSamples; rest *= 2)
        {
            left -= rest;
        }

        return left >= 0 && left % _options.MaxRestSamples == 0;
    }

    private SizeDecision OnChange(in PoolSample sample)
    {
        _trust = _trust >= Trust.Rested ? Trust.Alarmed : Trust.None;
        _belief.Reset();
        _alarm.Reset(keepNoise: true);
        _rested = 0;

        // This sample saw both workloads, and the next one may owe what raised the alarm to the same chance.
        LeaveNextOut();
        BeginWave(_base);
        return Decide(sample, _base, DecisionReason.WorkloadChange);
    }
}
