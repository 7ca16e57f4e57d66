namespace AdaptivePool.Guests;

/// <summary>
/// When the requests of a class may run where the server put them. Trust is earned by not waiting, and lost at once; each time it is lost, the next takes twice
/// as long to earn.
/// </summary>
internal sealed class GuestRule
{
    /// <summary>Requests in a row, none of which waited, that earn trust.</summary>
    public const int Requests = 256;

    /// <summary>Requests that earn trust where they come slowly, if <see cref="Calm"/> has passed.</summary>
    public const int FewRequests = 8;

    /// <summary>Mean run time above which a class earns no trust, in seconds: a hop costs 3 us, a few per cent of it.</summary>
    public const double LongestMean = 100e-6;

    /// <summary>One request in this many may meet a lock that is taken.</summary>
    private const int OneWaitIn = 64;

    /// <summary>Crowds that mean nothing, however few requests there were, and requests after which they are counted anew.</summary>
    private const int FreeCrowds = 4;
    private const int CrowdWindow = 1_024;

    private const int MostDoublings = 12;

    private static readonly TimeSpan s_forgotten = TimeSpan.FromHours(1);
    private TimeSpan _since;
    private int _briefLooks;
    private TimeSpan _lostAt;
    private long _requests;
    private long _crowdsFrom;
    private int _crowds;
    private int _doublings;
    private bool _hasBegun;

    /// <summary>Time without a wait that earns trust where requests come slowly.</summary>
    public static TimeSpan Calm { get; } = TimeSpan.FromSeconds(1);

    /// <summary>Whether the requests of the class may run where the server put them.</summary>
    public bool IsGuest { get; private set; }

    /// <summary>Takes into account what the class's workers did since the last look.</summary>
    /// <param name="now">Time of the look.</param>
    /// <param name="requests">Requests that have ended since.</param>
    /// <param name="waits">Their waits that the pool saw.</param>
    /// <param name="mean">Mean run time of those that were timed, without waits for a core, in seconds; NaN for none.</param>
    /// <returns>Whether trust has just been earned.</returns>
    public bool Observe(TimeSpan now, long requests, long waits, double mean)
    {
        if (IsGuest)
        {
            return false;
        }

        Forget(now);
        if (!_hasBegun || waits * OneWaitIn > Math.Max(requests, OneWaitIn - 1) || mean > LongestMean)
        {
            (_hasBegun, _since, _requests) = (true, now, 0);
            return false;
        }

        _requests += requests;
        long patience = 1L << _doublings;
        bool isEnough = _requests >= Requests * patience || (_requests >= FewRequests && now - _since >= Calm * patience);

        // A class whose run time is not known may be a long one.
        IsGuest = isEnough && mean <= LongestMean;
        return IsGuest;
    }

    /// <summary>Takes a look at a class whose requests wait briefly.</summary>
    /// <param name="now">Time of the look.</param>
    /// <param name="isCostly">Whether the hop to a worker costs more than it brings: see <see cref="BriefWaitRule"/>; null when not known.</param>
    /// <returns>Whether trust has just been earned: the hop was costly in as many looks as trust takes.</returns>
    public bool ObserveBrief(TimeSpan now, bool? isCostly)
    {
        if (IsGuest || isCostly is null)
        {
            return false;
        }

        Forget(now);
        _briefLooks = isCostly.Value ? _briefLooks + 1 : 0;
        IsGuest = _briefLooks >= (Calm / BriefWaitRule.Period) * (1L << _doublings);
        return IsGuest;
    }

    /// <summary>
    /// Called when as many of the class's requests wait as there are cores. That happens now and then where they take a lock for microseconds; where they wait
    /// for something, each of them meets a crowd.
    /// </summary>
    /// <param name="requests">Requests of the class that ran where the server put them, so far.</param>
    /// <returns>Whether the class loses trust.</returns>
    public bool ObserveCrowd(long requests)
    {
        if (requests - _crowdsFrom > CrowdWindow)
        {
            (_crowdsFrom, _crowds) = (requests, 0);
        }

        return ++_crowds > FreeCrowds && _crowds * OneWaitIn > requests - _crowdsFrom;
    }

    /// <summary>Ends the trust.</summary>
    /// <returns>Whether there was any.</returns>
    public bool TakeIn(TimeSpan now)
    {
        if (!IsGuest)
        {
            return false;
        }

        Forget(now);
        IsGuest = false;
        _hasBegun = false;
        _briefLooks = 0;
        _crowds = 0;
        _lostAt = now;
        _doublings = Math.Min(_doublings + 1, MostDoublings);
        return true;
    }

    private void Forget(TimeSpan now) => _doublings = now - _lostAt >= s_forgotten ? 0 : _doublings;
}
