using System.Globalization;
using AdaptivePool.Diagnostics;

namespace AdaptivePool.Balancing.Overload;

/// <summary>Looks at a backend's queue at the interval of its policy, on its own thread, and provides the report for the balancers. Thread-safe.</summary>
public sealed class OverloadMonitor : IDisposable
{
    private readonly QueueMeter _meter;
    private readonly IOverloadPolicy _policy;
    private readonly BalancerShares? _shares;
    private readonly Lock _lock = new();
    private readonly long _run;
    private readonly ServiceTimeMean _serviceTime = new();
    private readonly ServiceTimeMean _answerTime = new();
    private readonly ManualResetEventSlim _end = new();
    private readonly Thread? _thread;
    private TimeSpan _interval;
    private OverloadPoint? _point;
    private long _sequence;
    private long _signals;

    /// <summary>Creates a monitor.</summary>
    /// <param name="meter">The meter that counts the requests.</param>
    /// <param name="policy">The policy that detects overload. Only this monitor may use it.</param>
    /// <param name="run">The number of this process's run. It must be higher than that of an earlier run. Zero or more.</param>
    /// <param name="shares">The balancers that share the backend; <see langword="null"/> for one balancer.</param>
    /// <param name="isWatched">Whether the monitor looks by itself; otherwise only <see cref="Look"/> does.</param>
    /// <exception cref="ArgumentOutOfRangeException">
    /// <paramref name="run"/> is negative, or the monitor looks by itself and the interval of the policy is out of its range.
    /// </exception>
    public OverloadMonitor(QueueMeter meter, IOverloadPolicy policy, long run, BalancerShares? shares = null, bool isWatched = true)
    {
        ArgumentNullException.ThrowIfNull(meter);
        ArgumentNullException.ThrowIfNull(policy);
        ArgumentOutOfRangeException.ThrowIfNegative(run);
        // Without names no balancer has to be known: all requests come from one balancer.
        (_meter, _policy, _run, _shares) = (meter, policy, run, shares is { IsEmpty: false } ? shares : null);
        if (isWatched)
        {
            OptionCheck.RequireInterval(_interval = policy.Interval);

            // Neither on the pool that it watches nor on the runtime's: a backend that is overloaded must still be able to report that.
            // UnsafeStart: the execution context in which the monitor is created, such as the activity of a request, must not stay on its thread.
            _thread = new Thread(Watch) { IsBackground = true, Name = "overload monitor" };
            _thread.UnsafeStart();
        }
    }

    /// <summary>
    /// Raised when a look of the monitor's own has failed: the policy or the clock of the meter threw, or the interval of the policy is out of its range. The
    /// last point stays, and the monitor looks again after the last interval in range. Handlers run on the monitor's thread and must return quickly.
    /// Exceptions that they throw are ignored, also those of asynchronous handlers. <see cref="Look"/> does not raise the event, it throws.
    /// </summary>
    public event EventHandler<Exception>? Faulted;

    /// <summary>The rate that the backend can bear from all balancers together; <see langword="null"/> while it is not overloaded.</summary>
    public OverloadPoint? Point
    {
        get
        {
            lock (_lock)
            {
                return _point;
            }
        }
    }

    /// <summary>The number of times the point has changed.</summary>
    public long Signals => Interlocked.Read(ref _signals);

    /// <summary>
    /// The number of requests that the backend should have at once, by Little's law: the rate that it can bear times the duration of a request, at least 1. In
    /// addition, one for each request that has been running for much longer, such as a stream or a WebSocket.
    /// <see langword="null"/> while it is not overloaded, or if no request has ended.
    /// </summary>
    public int? MostInFlight
    {
        get
        {
            lock (_lock)
            {
                return _point is { } point && _serviceTime.Value is { } time
                    ? (int)Math.Min(Math.Max(1, point.PerSecond * time.TotalSeconds) + _meter.Long, int.MaxValue)
                    : null;
            }
        }
    }

    /// <summary>Gets the line that is the response to HAProxy's agent check.</summary>
    /// <param name="mostOtherwise">
    /// The limit while the backend is not overloaded. It is needed because HAProxy keeps the last limit that it got. One or more.
    /// </param>
    public string AgentLine(int mostOtherwise)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(mostOtherwise, 1);

        // Not "ready": that would undo what an administrator has set for the server, such as draining it.
        return string.Create(CultureInfo.InvariantCulture, $"up maxconn:{Math.Min(MostInFlight ?? mostOtherwise, mostOtherwise)}\n");
    }

    /// <summary>Whether a balancer is one of those that share the backend.</summary>
    /// <param name="balancer">The name of the balancer.</param>
    /// <exception cref="ArgumentNullException"><paramref name="balancer"/> is null.</exception>
    public bool Knows(string balancer)
    {
        ArgumentNullException.ThrowIfNull(balancer);
        return _shares?.Knows(balancer) == true;
    }

    /// <summary>Reports that a request of a balancer has arrived.</summary>
    /// <param name="balancer">The name of the balancer in the request; <see langword="null"/> if there is none.</param>
    /// <returns>Whether the balancer may get the load: it is a known balancer, or no balancer has to be known.</returns>
    public bool Count(string? balancer)
    {
        if (_shares is null)
        {
            return true;
        }

        lock (_lock)
        {
            if (balancer is null || !_shares.Knows(balancer))
            {
                return false;
            }

            _shares.Count(balancer);
            return true;
        }
    }

    /// <summary>Gets the report for a balancer: its share of the point, and how busy the backend is.</summary>
    /// <param name="balancer">The name of the balancer; <see langword="null"/> for all balancers together.</param>
    public LoadReport Report(string? balancer = null)
    {
        int inFlight = _meter.InFlight;
        lock (_lock)
        {
            double share = balancer is not null && _shares?.Knows(balancer) == true ? _shares.Of(balancer) : 1;
            return new LoadReport
            {
                Run = _run,
                Sequence = _sequence++,
                Point = _point is { } point && OverloadPoint.IsPossible(point.PerSecond * share) ? new OverloadPoint(point.PerSecond * share) : null,
                InFlight = inFlight,
                ServiceTime = _answerTime.Value,
                ServiceTimeAnswers = _answerTime.Value is null ? null : (int)Math.Round(_answerTime.Answers),
            };
        }
    }

    /// <summary>Looks at the queue now.</summary>
    public void Look()
    {
        QueueReading reading = _meter.Read(out TimeSpan served, out (long Count, TimeSpan Time) answered);
        lock (_lock)
        {
            _serviceTime.Observe(reading.Now, reading.Completed, served);
            _answerTime.Observe(reading.Now, answered.Count, answered.Time);
            _meter.SetUsual(_answerTime.Value ?? TimeSpan.Zero, _serviceTime.Value ?? TimeSpan.Zero);
            _shares?.EndPeriod();

            // Last: the rest of the report stays correct if a user's policy throws.
            OverloadPoint? point = _policy.Observe(reading);
            if (point != _point)
            {
                // Signals reads it without the lock; a statistic.
                Interlocked.Increment(ref _signals);
                _point = point;
            }
        }
    }

    /// <summary>Ends the thread.</summary>
    public void Dispose()
    {
        _end.Set();
        if (_thread is not null && Thread.CurrentThread != _thread)
        {
            _thread.Join();
            _end.Dispose();
        }
    }

    private void Watch()
    {
        while (!_end.Wait(_interval))
        {
            try
            {
                Look();
                TimeSpan interval = _policy.Interval;
                OptionCheck.RequireInterval(interval);
                _interval = interval;
            }
            catch (Exception exception)
            {
                // An exception of a handler cannot be reported anywhere.
                Faulted.Call(this, exception, static _ => { });
            }
        }
    }
}
