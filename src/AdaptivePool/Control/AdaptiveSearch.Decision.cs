namespace AdaptivePool.Control;

/// <content>How a decision is said: the size, how long to measure it, and the trace.</content>
internal sealed partial class AdaptiveSearch
{
    // Pieces in which settling is watched once the threads that had to leave are gone.
    private const double SettlingPiece = 60;

    private readonly SharedTrace _holdTrace = new();

    private SizeDecision Decide(in PoolSample sample, DecisionReason reason, double gain = double.NaN, double noise = double.NaN)
    {
        int from = sample.Target;
        int target = Target;
        double throughput = sample.Completions / sample.Elapsed.TotalSeconds;
        double expected = _rate;
        if (target != from)
        {
            expected *= Math.Max(1, (double)target / from);
            _settling.Begin(SampleLengthRule.SettleCompletions(from, target, _options));
        }

        TimeSpan interval = Interval(sample, target, expected);

        // A rest that a queue without work interrupts goes on afterwards.
        ControllerState state = reason == DecisionReason.DemandLimited ? ControllerState.DemandLimited : State;

        // A cause is told once.
        bool isQuiet = from == target && double.IsNaN(gain) && _cause == DecisionReason.Initial
            && reason is DecisionReason.Hold or DecisionReason.DemandLimited;
        ControllerTrace trace = isQuiet ? _holdTrace.Hold(target, reason, state, ref _cause, throughput) : new()
        {
            From = from,
            To = target,
            Reason = reason,
            State = StateText.Tell(state, ref _cause),
            ThroughputPerSecond = throughput,
            Gain = gain,
            Noise = noise,
            Utilisation = sample.Utilisation,
        };
        return new(target, interval, reason, trace) { IsTrial = target != _base };
    }

    // What settles is one round of the size, besides the threads that are still to leave.
    private double Leaving(int size) => Math.Max(0, _settling.Remaining - SampleLengthRule.SettleCompletions(size, size, _options));

    private TimeSpan Interval(in PoolSample sample, int target, double expected)
    {
        double wanted = SampleLengthRule.Completions(target, _options);
        bool isSettling = _settling.IsActive;
        if (isSettling)
        {
            double leaving = Leaving(target);
            double piece = leaving > 0 ? leaving + SettlingPiece : Math.Max(SettlingPiece, _settling.Remaining / 3);
            wanted = Math.Min(_settling.Remaining, piece);
        }
        else if (_isFirst)
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
