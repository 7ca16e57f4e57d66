namespace AdaptivePool.Control;

/// <content>How a decision is said: the size, how long to measure it, and the trace.</content>
internal sealed partial class AdaptiveSearch
{
    private readonly SharedTrace _trace = new();

    // The last quarter of a period is the present size again.
    private bool IsAsking => IsSearching && _samples.Count >= Shape.AfterProbe;

    private SizeDecision Decide(in PoolSample sample, int target, DecisionReason reason, double gain = double.NaN, double noise = double.NaN)
    {
        double throughput = sample.Completions / sample.Elapsed.TotalSeconds;
        double expected = _rate;
        if (target != sample.Target)
        {
            expected *= Math.Max(1, (double)target / sample.Target);
            _settling = Settling.After(SampleLengthRule.SettleCompletions(sample.Target, target, _options));
        }

        TimeSpan interval = Interval(sample, target, expected, isFirst: reason == DecisionReason.Initial);
        string state = Enum.GetName(reason == DecisionReason.DemandLimited ? ControllerState.DemandLimited : State)!;
        bool isQuiet = sample.Target == target && double.IsNaN(gain) && reason is DecisionReason.Hold or DecisionReason.DemandLimited;
        ControllerTrace trace = isQuiet ? _trace.Hold(target, reason, state, throughput) : _trace.End(new()
        {
            From = sample.Target,
            To = target,
            Reason = reason,
            State = state,
            ThroughputPerSecond = throughput,
            Gain = gain,
            Noise = noise,
            Utilisation = sample.Utilisation,
        });
        return new(target, interval, reason, trace) { IsTrial = target != _base, IsAsking = IsAsking };
    }

    private TimeSpan Interval(in PoolSample sample, int target, double expected, bool isFirst)
    {
        double wanted = SampleLengthRule.Completions(target, _options);
        bool isSettling = _settling.IsActive;
        if (isSettling)
        {
            wanted = _settling.Remaining;
        }
        else if (isFirst)
        {
            // Far above the best size a full sample takes minutes, and a coarse look says enough.
            wanted = _options.MinSampleCompletions;
        }
        else if (!IsSearching && !IsHeld(sample))
        {
            wanted *= RestSampleFactor;
        }

        double shortest = (isSettling ? _options.MinSettleInterval : _options.MinSampleInterval).TotalSeconds;
        return SampleLengthRule.Interval(wanted, expected, target, sample.MeanServiceTime, shortest, _options);
    }
}
