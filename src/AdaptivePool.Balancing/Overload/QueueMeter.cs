using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace AdaptivePool.Balancing.Overload;

/// <summary>
/// Counts a backend's requests as they arrive, start and end, and knows how long requests that have not started have waited. It keeps the sum of their arrival
/// times, so the cost of the average does not depend on their number. Thread-safe.
/// </summary>
/// <param name="clock">The clock; <see langword="null"/> for the system's clock.</param>
public sealed class QueueMeter(TimeProvider? clock = null)
{
    /// <summary>A request that takes less time does not count as long, however long others take.</summary>
    private static readonly TimeSpan s_shortestLong = TimeSpan.FromSeconds(1);

    private readonly TimeProvider _clock = clock ?? TimeProvider.System;
    private readonly Lock _lock = new();
    private readonly long _origin = (clock ?? TimeProvider.System).GetTimestamp();

    /// <summary>Running requests by the second of their start, without those that run for long.</summary>
    private readonly Dictionary<long, int> _running = [];
    private Counts _counts;
    private TimeSpan _usualAnswer;
    private TimeSpan _usualService;
    private int _long;

    /// <summary>The time since the meter was created.</summary>
    public TimeSpan Now => _clock.GetElapsedTime(_origin);

    /// <summary>The number of requests in the backend, waiting or running.</summary>
    public int InFlight
    {
        get
        {
            lock (_lock)
            {
                return (int)(_counts.Arrived - _counts.Ended);
            }
        }
    }

    /// <summary>Requests that run for long, such as streams and WebSockets. The time of requests that have ended says nothing about them.</summary>
    internal int Long
    {
        get
        {
            lock (_lock)
            {
                return Math.Max(0, _long);
            }
        }
    }

    /// <summary>Reports that a request has arrived and waits.</summary>
    /// <returns>The time of arrival. Pass it to <see cref="Start"/>.</returns>
    public TimeSpan Arrive()
    {
        TimeSpan now = Now;
        lock (_lock)
        {
            _counts.Arrived++;
            _counts.Queued++;
            _counts.QueuedTicks += now.Ticks;
        }

        return now;
    }

    /// <summary>Reports that a request runs. Call it when the thread of the request has got a processor, and not when a thread was chosen for it.</summary>
    /// <param name="arrived">The value that <see cref="Arrive"/> returned.</param>
    /// <returns>The time of the start. Pass it to <see cref="End(TimeSpan)"/>.</returns>
    public TimeSpan Start(TimeSpan arrived)
    {
        TimeSpan now = Now;
        lock (_lock)
        {
            _counts.Queued--;
            _counts.QueuedTicks -= arrived.Ticks;
            _counts.Started++;
            _counts.StartedTicks += (now - arrived).Ticks;
            CollectionsMarshal.GetValueRefOrAddDefault(_running, SecondOf(now), out _)++;
        }

        return now;
    }

    /// <summary>Reports that a request has ended, and that its response began at its end.</summary>
    /// <param name="started">The value that <see cref="Start"/> returned.</param>
    public void End(TimeSpan started)
    {
        TimeSpan now = Now;
        End(now, started, now);
    }

    /// <summary>Reports that a request has ended, successfully or not.</summary>
    /// <param name="started">The value that <see cref="Start"/> returned.</param>
    /// <param name="answered">
    /// The time at which its response began. The time that the client takes to read the response says nothing about the speed of the backend.
    /// <see langword="null"/> for an error, which says nothing about it either.
    /// </param>
    public void End(TimeSpan started, TimeSpan? answered) => End(Now, started, answered);

    /// <summary>Reports that a running request waits again, because it was passed to a queue of its own.</summary>
    /// <param name="arrived">The value that <see cref="Arrive"/> returned: the whole wait of the request counts.</param>
    /// <param name="started">The value that <see cref="Start"/> returned.</param>
    public void Wait(TimeSpan arrived, TimeSpan started)
    {
        lock (_lock)
        {
            TakeBack(arrived, started);
            _counts.Queued++;
            _counts.QueuedTicks += arrived.Ticks;
        }
    }

    /// <summary>Reports that a waiting request will never start: it was refused, or its client has disconnected.</summary>
    /// <param name="arrived">The value that <see cref="Arrive"/> returned.</param>
    public void Abandon(TimeSpan arrived)
    {
        lock (_lock)
        {
            _counts.Queued--;
            _counts.QueuedTicks -= arrived.Ticks;
            _counts.Arrived--;
        }
    }

    /// <summary>
    /// Reports that a running request was no work: it was refused after its start, or has become a connection of its own. It does not count as completed.
    /// </summary>
    /// <param name="arrived">The value that <see cref="Arrive"/> returned.</param>
    /// <param name="started">The value that <see cref="Start"/> returned.</param>
    public void Discard(TimeSpan arrived, TimeSpan started)
    {
        lock (_lock)
        {
            TakeBack(arrived, started);
            _counts.Arrived--;
        }
    }

    /// <summary>Gets the readings that an overload policy needs.</summary>
    public QueueReading Read() => Read(out _, out _);

    /// <summary>Gets the same readings. In addition, the time of all ended requests from start to end, the number of these whose response tells how fast the
    /// backend is, and the time until those responses began.</summary>
    internal QueueReading Read(out TimeSpan served, out (long Count, TimeSpan Time) answered)
    {
        TimeSpan now;
        Counts counts;
        lock (_lock)
        {
            // Read before, it would be too early for what is counted meanwhile, and rates too high.
            now = Now;
            counts = _counts;
        }

        served = TimeSpan.FromTicks(counts.ServiceTicks);
        answered = (counts.Answers, TimeSpan.FromTicks(counts.AnswerTicks));
        long waited = counts.Queued > 0 ? now.Ticks - (long)(counts.QueuedTicks / counts.Queued) : 0;
        return new QueueReading
        {
            Now = now,
            AverageWait = TimeSpan.FromTicks(Math.Max(0, waited)),
            Queued = counts.Queued,
            Arrived = counts.Arrived,
            Started = counts.Started,
            StartedWait = TimeSpan.FromTicks(counts.StartedTicks),
            Completed = counts.Ended,
        };
    }

    /// <summary>Sets the usual time of requests until their response begins, and until their end; zero when not known.</summary>
    internal void SetUsual(TimeSpan answer, TimeSpan service)
    {
        TimeSpan most = LongAnswer.Times * service;
        long longBefore = SecondOf(Now - (most > s_shortestLong ? most : s_shortestLong));
        lock (_lock)
        {
            (_usualAnswer, _usualService) = (answer, service);
            foreach ((long second, int count) in _running)
            {
                if (second < longBefore)
                {
                    _running.Remove(second);
                    _long += count;
                }
            }
        }
    }

    private void End(TimeSpan now, TimeSpan started, TimeSpan? answered)
    {
        lock (_lock)
        {
            // A request that had a place of its own must not count for more places now.
            TimeSpan service = Leave(started) ? LongAnswer.Bound(now - started, _usualService) : now - started;
            _counts.Ended++;
            _counts.ServiceTicks += Math.Max(0, service.Ticks);
            if (answered is { } at)
            {
                _counts.Answers++;
                _counts.AnswerTicks += Math.Max(0, LongAnswer.Bound(at - started, _usualAnswer).Ticks);
            }
        }
    }

    private static long SecondOf(TimeSpan time) => time.Ticks / TimeSpan.TicksPerSecond;

    /// <summary>Removes a request that no longer runs. A request whose second is not in the table has run for long.</summary>
    /// <returns>Whether the request had run for long.</returns>
    private bool Leave(TimeSpan started)
    {
        long second = SecondOf(started);
        ref int count = ref CollectionsMarshal.GetValueRefOrNullRef(_running, second);
        bool isLong = Unsafe.IsNullRef(ref count);
        if (isLong)
        {
            _long--;
        }
        else if (--count == 0)
        {
            _running.Remove(second);
        }

        return isLong;
    }

    /// <summary>Undoes the start of a running request: it waits again, or was no work.</summary>
    private void TakeBack(TimeSpan arrived, TimeSpan started)
    {
        _ = Leave(started);
        _counts.Started--;
        _counts.StartedTicks -= (started - arrived).Ticks;
    }

    [StructLayout(LayoutKind.Auto)]
    private struct Counts
    {
        public long Arrived;
        public long Queued;
        public long Started;
        public long StartedTicks;
        public long Ended;
        public long ServiceTicks;
        public long Answers;
        public long AnswerTicks;

        /// <summary>128 bits: the sum of the arrival times of a million requests after a month does not fit into 64.</summary>
        public Int128 QueuedTicks;
    }
}
