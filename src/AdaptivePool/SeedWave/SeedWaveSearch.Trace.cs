using AdaptivePool.Control;

namespace AdaptivePool.SeedWave;

/// <content>Decisions and their traces (the founding document's <c>dump_log()</c>, as data).</content>
internal sealed partial class SeedWaveSearch
{
    private readonly SharedTrace _holdTrace = new();
    private DecisionReason _cause = DecisionReason.Initial;

    private SizeDecision Decide(double throughput, int target, DecisionReason reason)
    {
        int from = _inForce;
        _inForce = target;
        bool isTrial = target != _base;
        if (from == target && !_reading.IsUsable && reason is DecisionReason.Hold or DecisionReason.Suspended or DecisionReason.NoConnections)
        {
            ControllerTrace held = _holdTrace.Hold(target, reason, StateText.Tell(State, ref _cause), throughput);
            return new(target, _options.SamplePeriod, reason, held) { IsTrial = isTrial };
        }

        _holdTrace.End();
        var trace = new ControllerTrace
        {
            From = from,
            To = target,
            Reason = reason,
            State = StateText.Tell(State, ref _cause),
            ThroughputPerSecond = throughput,
            Gain = _reading.IsUsable ? _reading.Real : double.NaN,
            Noise = _reading.IsUsable ? _reading.Noise : double.NaN,
            Confidence = _reading.IsUsable ? _reading.Confidence : double.NaN,
            Progress = _progressSoFar,
        };
        return new(target, _options.SamplePeriod, reason, trace) { IsTrial = isTrial };
    }
}
