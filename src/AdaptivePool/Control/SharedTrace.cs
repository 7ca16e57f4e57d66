namespace AdaptivePool.Control;

/// <summary>The trace of an unbroken run of equal holds. It is created for the first hold, so that further holds allocate no memory.</summary>
internal sealed class SharedTrace
{
    private ControllerTrace? _trace;

    /// <summary>Returns the trace of a hold: the previous trace while nothing has changed.</summary>
    /// <param name="target">The size held, in threads.</param>
    /// <param name="reason">The reason.</param>
    /// <param name="state">The state of the search, in words.</param>
    /// <param name="throughput">Completions per second, used for the first hold of a run.</param>
    public ControllerTrace Hold(int target, DecisionReason reason, string state, double throughput)
    {
        if (_trace is null || _trace.To != target || _trace.Reason != reason || _trace.State != state)
        {
            _trace = new() { From = target, To = target, Reason = reason, State = state, ThroughputPerSecond = throughput };
        }

        return _trace;
    }

    /// <summary>Ends the run.</summary>
    public void End() => _trace = null;

    /// <summary>Ends the run because of another decision.</summary>
    /// <param name="next">The trace of that decision.</param>
    public ControllerTrace End(ControllerTrace next)
    {
        End();
        return next;
    }
}
