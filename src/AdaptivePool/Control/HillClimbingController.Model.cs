namespace AdaptivePool.Control;

/// <content>The model jump: a size proposed by N / utilisation, tried, and kept only for its gain.</content>
public sealed partial class HillClimbingController
{
    private const int TrialSamples = 2;
    private const double TrialSettleFactor = 1.5;
    private const int FirstModelPause = 2;
    private const int LongestModelPause = 64;

    // A long jump says little about each small step of the way: its evidence counts a quarter.
    private const double TrialVarianceFactor = 4;

    private double _trialThroughput;
    private double _trialBaseThroughput;
    private int _trialSamples;
    private int _trialFrom;
    private int _modelWait;
    private int _modelPause;
    private bool _isModelTrusted;

    private void ResetModel()
    {
        _modelWait = 0;
        _modelPause = FirstModelPause;
        _isModelTrusted = false;
    }

    // The model lengthens a jump up that the wave has proven: below a knee of any kind it is right, and beyond one no proof comes. Once it has been right, it may
    // go on without a new proof each time, until it is refused.
    private int ProposeModel(in PoolSample sample, StepVerdict verdict, in WaveShape up)
    {
        bool isProven = verdict == StepVerdict.Up;
        bool mayGoOn = _isModelTrusted && verdict is StepVerdict.ProbeUp or StepVerdict.ProbeDown && IsRisingBelow();
        if (!_options.ModelJump || _baseSamples == 0 || !(isProven || mayGoOn) || --_modelWait > 0)
        {
            return 0;
        }

        double utilisation = _baseUtilisation / _baseSamples;
        bool isWaiting = sample.Blocked > 0 || sample.Queued > 0;
        int proposal = ModelJumpRule.Propose(_base, utilisation, isWaiting, _options.MaxModelUtilisation, _options.MaxModelRatio);
        proposal = JumpGuard.Clamp(proposal, _min, _max);
        int least = isProven ? up.High : _base;
        return proposal > least ? proposal : 0;
    }

    private bool IsRisingBelow()
    {
        WaveShape down = Wave(WaveSide.Down);
        if (down.IsFlat)
        {
            return false;
        }

        StepEstimate below = _evidence.Estimate(down.Low, down.High);
        return below.Weight > 0 && below.Gain >= _options.ModelGainShare * down.LogRatio;
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
        _isModelTrusted = true;
        _rest.Reset();
        _upPeriods = 0;
        _base = _inForce;
        StartSearch();
        return Decide(sample, _base, DecisionReason.RampVerified, gain, deviation);
    }

    private void PauseModel()
    {
        _isModelTrusted = false;
        _modelWait = _modelPause;
        _modelPause = Math.Min(2 * _modelPause, LongestModelPause);
    }
}
