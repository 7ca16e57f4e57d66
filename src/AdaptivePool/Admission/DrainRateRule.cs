namespace AdaptivePool.Admission;

/// <summary>
/// Measures how many transactions end per second while others wait, over the last one to two windows, and calculates from it when it makes sense to try
/// again. Time in which no caller waits does not count: after it, the last rate is the best guess.
/// </summary>
internal sealed class DrainRateRule
{
    /// <summary>Long enough for some transactions, short enough to follow a change; a Retry-After has whole seconds.</summary>
    private static readonly TimeSpan s_window = TimeSpan.FromSeconds(2);

    /// <summary>A guess is not reason enough to keep a client away for longer than this.</summary>
    private static readonly TimeSpan s_longest = TimeSpan.FromSeconds(60);
    private static readonly TimeSpan s_shortest = TimeSpan.FromMilliseconds(100);

    private TimeSpan? _startedAt;
    private long _count;
    private double _previousCount;
    private TimeSpan _previousLength;

    /// <summary>A caller waits again.</summary>
    public void Resume(TimeSpan now) => _startedAt ??= now;

    /// <summary>No caller waits any more. The rate is kept, and has the weight of at most one window when a caller waits again.</summary>
    public void Pause(TimeSpan now)
    {
        TimeSpan length = Observed(now);
        double share = length > s_window ? s_window / length : 1;
        _previousCount = (_previousCount + _count) * share;
        _previousLength = length * share;
        _count = 0;
        _startedAt = null;
    }

    /// <summary>Counts a transaction that ended while others waited.</summary>
    public void Observe(TimeSpan now)
    {
        _startedAt ??= now;
        if (now - _startedAt.Value is var length && length >= s_window)
        {
            _previousCount = _count;
            _previousLength = length;
            _count = 0;
            _startedAt = now;
        }

        _count++;
    }

    /// <summary>Transactions per second; <see langword="null"/> before any ended.</summary>
    public double? PerSecond(TimeSpan now)
    {
        double ended = _count + _previousCount;
        return ended == 0 ? null : ended / Math.Max(Observed(now).TotalSeconds, s_shortest.TotalSeconds);
    }

    /// <summary>The time until the callers that wait now have been served. The shortest time when nothing is known.</summary>
    /// <param name="queued">How many callers wait.</param>
    /// <param name="now">The time.</param>
    public TimeSpan RetryAfter(int queued, TimeSpan now)
    {
        double seconds = PerSecond(now) is { } rate ? (queued + 1) / rate : 0;
        return TimeSpan.FromSeconds(Math.Clamp(seconds, s_shortest.TotalSeconds, s_longest.TotalSeconds));
    }

    private TimeSpan Observed(TimeSpan now) => _previousLength + (now - _startedAt ?? TimeSpan.Zero);
}
