namespace AdaptivePool.Control;

/// <content>Reports a decision: the size, how long to measure it, and the trace.</content>
internal sealed partial class AdaptiveSearch
{
    private readonly SharedTrace _trace = new();

    // The last quarter of a period measures the present size again.
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

        TimeSpan interval = Interval(sample, target, expected, reason);
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

    private TimeSpan Interval(in PoolSample sample, int target, double expected, DecisionReason reason)
    {
        double wanted = SampleLengthRule.Completions(target, _options);

        // While no work waits there is nothing to measure, though the first sample after work returns will be left out.
        bool isSettling = _settling.IsActive && reason != DecisionReason.DemandLimited;
        if (isSettling)
        {
            wanted = _settling.Remaining;
        }
        else if (reason == DecisionReason.Initial)
        {
            // Far above the best size a full sample takes minutes, and a coarse one says enough.
            wanted = _options.MinSampleCompletions;
        }
        else if (reason == DecisionReason.DemandLimited || (!IsSearching && !IsHeld(sample)))
        {
            wanted *= RestSampleFactor;
        }

        double shortest = (isSettling ? _options.MinSettleInterval : _options.MinSampleInterval).TotalSeconds;
        return SampleLengthRule.Interval(wanted, expected, target, sample.MeanServiceTime, shortest, _options);
    }
}
