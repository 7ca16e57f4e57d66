using AdaptivePool.Balancing.Overload;

namespace AdaptivePool.Hosting.Load;

/// <summary>What the load reporter knows of one request. A feature of the request; used by one thread at a time.</summary>
internal sealed class LoadTicket
{
    private readonly QueueMeter _meter;
    private readonly TimeSpan _arrived;
    private TimeSpan _started;
    private bool _waits;

    public LoadTicket(QueueMeter meter)
    {
        _meter = meter;
        _arrived = meter.Arrive();
        _started = meter.Start(_arrived);
    }

    /// <summary>The request goes into a queue.</summary>
    public void BeginWait()
    {
        _waits = true;
        _meter.Wait(_arrived);
    }

    /// <summary>The request really runs, or never will.</summary>
    public void EndWait()
    {
        if (_waits)
        {
            _waits = false;
            _started = _meter.Start(_arrived);
        }
    }

    /// <summary>The request has ended.</summary>
    public void End()
    {
        EndWait();
        _meter.End(_started);
    }
}
