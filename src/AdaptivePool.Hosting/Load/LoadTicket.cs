using AdaptivePool.Balancing.Overload;

namespace AdaptivePool.Hosting.Load;

/// <summary>What the load reporter knows of one request. A feature of the request; used by one thread at a time.</summary>
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

    /// <summary>The request goes into a queue.</summary>
    public void BeginWait()
    {
        // One that is run once more by a middleware before the place that counts it, for the page of its error, has ended.
        if (!_waits && !_hasEnded)
        {
            _waits = true;
            _meter.Wait(_arrived, _started);
        }
    }

    /// <summary>The request really runs.</summary>
    public void EndWait()
    {
        if (_waits)
        {
            _waits = false;
            _started = _meter.Start(_arrived);
        }
    }

    /// <summary>Its answer begins: what follows lasts for as long as its client likes.</summary>
    public void Answer() => _answered = _meter.Now;

    /// <summary>The request has ended.</summary>
    /// <param name="status">Status of its answer.</param>
    public void End(int status)
    {
        // Who still waits was never run, whatever the answer says: a timeout that passed meanwhile has a status of its own.
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

    // What was refused or given up tells nothing of what the backend can do, and costs it next to nothing: it would pass for the fastest work there is. What
    // has become a connection of its own (WebSockets; CONNECT over HTTP/2) says nothing either: it lasts for as long as its client likes.
    private static bool IsNoWork(int status) => status is StatusCodes.Status101SwitchingProtocols or StatusCodes.Status429TooManyRequests
        or StatusCodes.Status499ClientClosedRequest or StatusCodes.Status503ServiceUnavailable;
}
