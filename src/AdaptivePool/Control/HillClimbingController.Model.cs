namespace AdaptivePool.Control;

/// <content>The model jump: a size proposed by N / utilisation, tried, and kept only for its gain.</content>
public sealed partial class HillClimbingController
{
    private const int TrialSamples = 2;
    private const double TrialSettleFactor = 1.5;
    private const int FirstModelPause = 8;
    private const int LongestModelPause = 1024;

    // The slope below must not speak against a model that promises a slope of one.
    private const double MinSlope = 0.1;
    private const double SlopeDeviations = 0.5;

    // A long jump says little about each small step of the way: its evidence counts a quarter.
    private const double TrialVarianceFactor = 4;

    private double _trialThroughput;
    private double _trialBaseThroughput;
    private int _trialSamples;
    private int _trialFrom;
    private int _modelWait;
    private int _modelPause;

    private void ResetModel()
    {
        _modelWait = 0;
        _modelPause = FirstModelPause;
    }

    private bool ProposeModel(out int size)
    {
        size = _base;
        if (!_options.ModelJump || _baseSamples == 0 || --_modelWait > 0)
        {
            return false;
        }

        WaveShape down = Wave(WaveSide.Down);
        if (!down.IsFlat)
        {
            StepEstimate below = _evidence.Estimate(down.Low, down.High);
            if (below.Weight == 0 || below.Gain - (SlopeDeviations * below.Deviation) < MinSlope * down.LogRatio)
            {
                return false;
            }
        }

        // Only samples with a queue or with blocked workers reach this place.
        double utilisation = _baseUtilisation / _baseSamples;
        int proposal = ModelJumpRule.Propose(_base, utilisation, isWaiting: true, _options.MaxModelUtilisation, _options.MaxModelRatio);
        size = JumpGuard.Clamp(proposal, _min, _max);
        return size > _base;
    }

    private SizeDecision StartTrial(in PoolSample sample, int size)
    {
        if (JumpGuard.IsFalseJump(sample.Connections, size, _options.MinConnectionsPerThread))
        {
            PauseModel();
            StartSearch();
            return Decide(sample, _base, DecisionReason.FalseJump);
        }

        _trialFrom = _base;
        _trialBaseThroughput = _baseThroughput / _baseSamples;
        _trialThroughput = 0;
        _trialSamples = 0;
        State = ControllerState.ModelTrial;
        return Decide(sample, size, DecisionReason.ModelJump);
    }

    private SizeDecision OnTrialSample(in PoolSample sample)
    {
        _trialThroughput += sample.Completions / sample.Elapsed.TotalSeconds;
        if (++_trialSamples < TrialSamples)
        {
            return Decide(sample, _inForce, DecisionReason.Hold);
        }

        double gain = Math.Log(Math.Max(_trialThroughput / TrialSamples, double.Epsilon) / Math.Max(_trialBaseThroughput, double.Epsilon));
        double ratio = Math.Log((double)_inForce / _trialFrom);
        double deviation = NoiseOfPeriod();
        if (!ModelJumpRule.IsVerified(gain, ratio, _options.ModelGainShare))
        {
            PauseModel();
            StartSearch();
            return Decide(sample, _base, DecisionReason.RampRefused, gain, deviation);
        }

        _evidence.Add(_trialFrom, _inForce, gain, TrialVarianceFactor * deviation * deviation);
        _scaling.Clear();
        ResetModel();
        _rest.Reset();
        _upPeriods = 0;
        _base = _inForce;
        StartSearch();
        return Decide(sample, _base, DecisionReason.RampVerified, gain, deviation);
    }

    private void PauseModel()
    {
        _modelWait = _modelPause;
        _modelPause = Math.Min(2 * _modelPause, LongestModelPause);
    }
}
