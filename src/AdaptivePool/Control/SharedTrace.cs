namespace AdaptivePool.Control;

/// <summary>The trace of an unbroken run of equal holds, made for the first of them: holding costs no memory.</summary>
internal sealed class SharedTrace
{
    private ControllerTrace? _trace;

    /// <summary>The trace of a hold: the one before while nothing has changed.</summary>
    /// <param name="target">The size held, in threads.</param>
    /// <param name="reason">Why.</param>
    /// <param name="state">The state of the search, in words.</param>
    /// <param name="throughput">Completions per second of the first of a run.</param>
    public ControllerTrace Hold(int target, DecisionReason reason, string state, double throughput)
    {
        if (_trace is null || _trace.To != target || _trace.Reason != reason || _trace.State != state)
        {
            _trace = new() { From = target, To = target, Reason = reason, State = state, ThroughputPerSecond = throughput };
        }

        return _trace;
    }

    /// <summary>The run is over.</summary>
    public void End() => _trace = null;

    /// <summary>The run is over, because of what is told next.</summary>
    /// <param name="next">The trace of that.</param>
    public ControllerTrace End(ControllerTrace next)
    {
        End();
        return next;
    }
}
