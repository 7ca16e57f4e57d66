namespace AdaptivePool.Balancing;

/// <summary>
/// Tells whether a backend can be reached. A backend is left alone for a while if it refuses connections, or if it responds to none of its requests long
/// after the usual time. Then single requests try it, until one gets a response. Otherwise a backend that hangs would cost a request each second, and one
/// that refuses at once would have the least work of all. Not thread-safe.
/// </summary>
internal sealed class BackendReach
{
    /// <summary>With this many requests without a response in between, the silence is no coincidence. A single request may be a long one, or its client may
    /// have given up.</summary>
    private const int FewestUnanswered = 3;

    /// <summary>Shortest time that counts as silence: a collection, or the start of a process, seldom takes longer.</summary>
    private static readonly TimeSpan s_silence = TimeSpan.FromSeconds(1);

    /// <summary>How long a silent backend is left alone.</summary>
    private static readonly TimeSpan s_leftAlone = TimeSpan.FromSeconds(1);

    private TimeSpan? _downUntil;
    private TimeSpan _downTime;
    private TimeSpan _silentSince;
    private int _unanswered;
    private int _tried;
    private TimeSpan _triedAt;
    private bool _wasUnsent;

    /// <summary>Whether the backend can be reached, so that it may get a request.</summary>
    /// <param name="now">The present time.</param>
    /// <param name="answerSeconds">Mean time of its responses; 0 when not known.</param>
    public bool IsUp(TimeSpan now, double answerSeconds)
    {
        if (_downUntil is { } until)
        {
            // A clock that was set back does not tell how long the backend has been left alone.
            bool isOver = now >= until || now < until - _downTime;

            // A request that tries the backend may be a long one, such as a long poll. Each further one waits twice as long as the one before: a backend that
            // hangs holds few of them.
            return isOver && (_tried == 0 || now < _triedAt || (now - _triedAt).TotalSeconds >= Silence(answerSeconds) * Math.Pow(2, _tried - 1));
        }

        if (_unanswered < FewestUnanswered || (now - _silentSince).TotalSeconds < Silence(answerSeconds))
        {
            return true;
        }

        (_downUntil, _downTime) = (now + s_leftAlone, s_leftAlone);
        return false;
    }

    /// <summary>Called when a request is sent.</summary>
    /// <param name="now">The present time.</param>
    /// <param name="answerSeconds">Mean time of its responses; 0 when not known.</param>
    public void Send(TimeSpan now, double answerSeconds)
    {
        // A request that is sent because all other backends are down as well is no trial.
        if (_downUntil is not null && IsUp(now, answerSeconds))
        {
            (_tried, _triedAt) = (_tried + 1, now);
        }

        // After a clock was set back the backend would not count as silent until the clock has caught up.
        _silentSince = ++_unanswered == FewestUnanswered || now < _silentSince ? now : _silentSince;
    }

    /// <summary>Called when the backend has begun to respond to a request.</summary>
    /// <returns>Whether the backend could not be connected to before. Another process may respond now.</returns>
    public bool Answer()
    {
        bool isBack = _wasUnsent;
        (_downUntil, _tried, _unanswered, _wasUnsent) = (null, 0, 0, false);
        return isBack;
    }

    /// <summary>Called when a request has ended without a response, for any reason.</summary>
    public void Fail(TimeSpan now)
    {
        if (_downUntil is not null)
        {
            (_downUntil, _tried) = (now + _downTime, Math.Max(0, _tried - 1));
        }
    }

    /// <summary>Called when a request could not be sent because there was no connection.</summary>
    public void FailUnsent(TimeSpan now, TimeSpan downTime) =>
        (_downUntil, _downTime, _tried, _wasUnsent) = (now + downTime, downTime, Math.Max(0, _tried - 1), true);

    /// <summary>The time without a response after which the backend is silent, in seconds.</summary>
    private static double Silence(double answerSeconds) => Math.Max(s_silence.TotalSeconds, LongAnswer.Times * answerSeconds);

    /// <summary>Returns the backends that can be reached; all of them where none can.</summary>
    public static IReadOnlyList<BackendState> Up(IReadOnlyList<BackendState> backends, TimeSpan now)
    {
        List<BackendState>? up = null;
        for (int i = 0; i < backends.Count; i++)
        {
            if (!backends[i].IsUp(now))
            {
                up ??= [.. backends.Take(i)];
            }
            else
            {
                up?.Add(backends[i]);
            }
        }

        return up is { Count: > 0 } ? up : backends;
    }
}
