namespace AdaptivePool.Control;

/// <content>The choice of the next size to try, the part of the model N / utilisation in it, and the rest when there is nothing to gain.</content>
internal sealed partial class AdaptiveSearch
{
    // The model has no say where its promise lies more than this many deviations above the believed gain.
    private const double ModelDeviations = 2;

    /// <summary>Share of its certainty that the belief gives up at every reading: a question that was answered 500 readings ago is asked again
    /// (ADR 7).</summary>
    internal const double Forgetting = 0.002;

    // Number of samples for which the search has rested at its base, over all rests since it came there.
    private long _rested;

    // Fewer threads have less throughput, but are still worth more.
    private bool LooksFlat => _probe < _base && _belief.Estimate(_base, _probe).Gain is < 0 and var gain && MoveRule.Utility(gain, _base, _probe) > 0;

    /// <summary>
    /// The size that the model N / utilisation proposes, in threads; the present size when the model has no proposal. Below the knee every thread keeps the
    /// same share of the machine busy, so the size that would use up the machine is N / u. Above the knee the model returns N and is no information. It is
    /// only a proposal: the gain decides afterwards.
    /// </summary>
    /// <param name="size">The present size, in threads.</param>
    /// <param name="utilisation">Own CPU use over own plus idle CPU; NaN when not known.</param>
    /// <param name="maxUtilisation">Utilisation at which the machine counts as used up.</param>
    /// <param name="maxRatio">Longest jump, as a ratio of the present size.</param>
    internal static int ModelSize(int size, double utilisation, double maxUtilisation, double maxRatio)
    {
        if (!(utilisation > 0) || utilisation >= maxUtilisation)
        {
            return size;
        }

        return (int)Math.Min(Math.Min(size * maxRatio, Math.Ceiling(size / utilisation)), int.MaxValue);
    }

    // Only one size is allowed. It is watched, and a question follows as soon as other sizes are allowed.
    private static bool IsHeld(in PoolSample sample) => sample.MinTarget == sample.MaxTarget;

    // The utilisation at the base: that of this sample, or that of the sample with which the wave began.
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

    // Where measurements say that too little of the model's promise would come true, the model is not used until these measurements have faded.
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

        // Where no other size may be tried, a question falls due as soon as one may.
        _rested += IsHeld(sample) ? 0 : 1;
    }

    private SizeDecision OnRestSample(in PoolSample sample)
    {
        if (!IsHeld(sample) && IsQuestionDue())
        {
            // One question follows after each rest, however certain the answer is: a wrong certainty must be able to fade.
            _belief.Widen(Forgetting);
            Search(sample, mayRest: false);
        }
        else if (!IsHeld(sample))
        {
            _rested++;
        }

        return Decide(sample, _base, DecisionReason.Hold);
    }

    // A question is due at the end of each rest. Each rest is twice as long as the one before, up to the longest.
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

        // This sample covered both workloads, and the next one may be affected by the same chance that raised the alarm.
        LeaveNextOut();
        BeginWave(_base);
        return Decide(sample, _base, DecisionReason.WorkloadChange);
    }
}
