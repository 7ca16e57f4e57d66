using AdaptivePool.Balancing.Overload;

namespace AdaptivePool.Hosting.Load;

/// <summary>What the load reporter knows about one request. A feature of the request; used by one thread at a time.</summary>
internal sealed class LoadTicket
{
    private readonly QueueMeter _meter;
    private readonly TimeSpan _arrived;
    private TimeSpan _started;
    private TimeSpan? _answered;
    private bool _waits;
    private bool _hasEnded;

    public LoadTicket(QueueMeter meter)
    {
        _meter = meter;
        _arrived = meter.Arrive();
        _started = meter.Start(_arrived);
    }

    /// <summary>Called when the request is queued.</summary>
    public void BeginWait()
    {
        // A request that an earlier middleware runs once more, for the page of its error, has ended for the place that counts it.
        if (!_waits && !_hasEnded)
        {
            _waits = true;
            _meter.Wait(_arrived, _started);
        }
    }

    /// <summary>Called when the request really runs.</summary>
    public void EndWait()
    {
        if (_waits)
        {
            _waits = false;
            _started = _meter.Start(_arrived);
        }
    }

    /// <summary>Called when its response begins. The time after that depends on the client.</summary>
    public void Answer() => _answered = _meter.Now;

    /// <summary>Called when the request has ended.</summary>
    /// <param name="status">Status of its response.</param>
    public void End(int status)
    {
        // A request that still waits has never run, whatever its status is: a timeout that expired meanwhile has a status of its own.
        if (_waits)
        {
            _waits = false;
            _meter.Abandon(_arrived);
        }
        else if (IsNoWork(status))
        {
            _meter.Discard(_arrived, _started);
        }
        else
        {
            _meter.End(_started, status >= StatusCodes.Status400BadRequest ? null : _answered ?? _meter.Now);
        }

        _hasEnded = true;
    }

    // A request that was refused or given up says nothing about what the backend can do, and costs it next to nothing: it would look like the fastest work of
    // all. A request that has become a connection of its own (WebSockets; CONNECT over HTTP/2) says nothing either: its length depends on the client.
    private static bool IsNoWork(int status) => status is StatusCodes.Status101SwitchingProtocols or StatusCodes.Status429TooManyRequests
        or StatusCodes.Status499ClientClosedRequest or StatusCodes.Status503ServiceUnavailable;
}
