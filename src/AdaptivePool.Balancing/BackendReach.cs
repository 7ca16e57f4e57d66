namespace AdaptivePool.Balancing;

/// <summary>
/// Whether a backend can be reached. One that could not be connected to, or that answers nothing of what it was sent while its time for that is long over, is
/// left alone for a while; then single requests try it, until one is answered. One that hangs would cost a request for each second otherwise, and one
/// that refuses at once has the least work of all. Not thread-safe.
/// </summary>
internal sealed class BackendReach
{
    /// <summary>So many requests without an answer in between are no chance any more: a single one may be a long one, or was given up by its client.</summary>
    private const int FewestUnanswered = 3;

    /// <summary>Shortest silence that is one: a collection, or the start of a process, seldom takes longer.</summary>
    private static readonly TimeSpan s_silence = TimeSpan.FromSeconds(1);

    /// <summary>How long a silent one is left alone.</summary>
    private static readonly TimeSpan s_leftAlone = TimeSpan.FromSeconds(1);

    private TimeSpan? _downUntil;
    private TimeSpan _downTime;
    private TimeSpan _silentSince;
    private int _unanswered;
    private int _tried;
    private TimeSpan _triedAt;
    private bool _wasUnsent;

    /// <summary>Whether it may be sent a request, as far as reaching it goes.</summary>
    /// <param name="now">The present time.</param>
    /// <param name="answerSeconds">Mean time of its answers; 0 when not known.</param>
    public bool IsUp(TimeSpan now, double answerSeconds)
    {
        if (_downUntil is { } until)
        {
            // A clock that was set back says nothing of how long it has been left alone.
            bool isOver = now >= until || now < until - _downTime;

            // One that tries it may be a long one, as a long poll. Each further one waits twice as long as the one before: one that hangs keeps few of them.
            return isOver && (_tried == 0 || now < _triedAt || (now - _triedAt).TotalSeconds >= Silence(answerSeconds) * Math.Pow(2, _tried - 1));
        }

        if (_unanswered < FewestUnanswered || (now - _silentSince).TotalSeconds < Silence(answerSeconds))
        {
            return true;
        }

        (_downUntil, _downTime) = (now + s_leftAlone, s_leftAlone);
        return false;
    }

    /// <summary>A request is sent.</summary>
    /// <param name="now">The present time.</param>
    /// <param name="answerSeconds">Mean time of its answers; 0 when not known.</param>
    public void Send(TimeSpan now, double answerSeconds)
    {
        // One that is sent because all others are down as well is no trial.
        if (_downUntil is not null && IsUp(now, answerSeconds))
        {
            (_tried, _triedAt) = (_tried + 1, now);
        }

        // By a clock that was set back it would not be silent before that has caught up.
        _silentSince = ++_unanswered == FewestUnanswered || now < _silentSince ? now : _silentSince;
    }

    /// <summary>It has begun to answer a request.</summary>
    /// <returns>Whether it could not be connected to before: another process may answer now.</returns>
    public bool Answer()
    {
        bool isBack = _wasUnsent;
        (_downUntil, _tried, _unanswered, _wasUnsent) = (null, 0, 0, false);
        return isBack;
    }

    /// <summary>A request has ended without an answer, for whatever reason.</summary>
    public void Fail(TimeSpan now)
    {
        if (_downUntil is not null)
        {
            (_downUntil, _tried) = (now + _downTime, Math.Max(0, _tried - 1));
        }
    }

    /// <summary>A request could not be sent: there was no connection.</summary>
    public void FailUnsent(TimeSpan now, TimeSpan downTime) =>
        (_downUntil, _downTime, _tried, _wasUnsent) = (now + downTime, downTime, Math.Max(0, _tried - 1), true);

    /// <summary>After so many seconds without a word it is silent.</summary>
    private static double Silence(double answerSeconds) => Math.Max(s_silence.TotalSeconds, LongAnswer.Times * answerSeconds);

    /// <summary>Those that can be reached; all of them where none can.</summary>
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
