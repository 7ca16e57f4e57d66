namespace AdaptivePool.Balancing;

/// <summary>
/// Sends each request to the backend that would have the least work to do for it, among the backends that may take a request at the rate that they report as
/// their limit. It keeps that rate from request to request (generic cell rate algorithm) and does not count in seconds.
/// </summary>
/// <remarks>
/// Work is the number of requests in flight, including this one, times the mean service time, divided by the weight. Requests in flight are this balancer's
/// own, which it knows, plus those of others, which the backend reports with each response; the balancer sends no probes. An old report is replaced by what
/// others usually have at a backend.
/// </remarks>
public sealed class CollaborativeBalancer : IBalancer
{
    /// <summary>The share with which a slow start begins.</summary>
    private const double FirstShare = 0.1;

    /// <summary>
    /// Service times that are closer than this factor to the usual one count as equal. A backend reports a mean of some forty responses, which is off by a
    /// sixth where the times are distributed exponentially. A difference of up to three times that error cannot be told from noise, and sending by noise
    /// costs a twentieth of the p99.
    /// </summary>
    private const double SameTime = 1.5;

    /// <summary>Number of further backends to look at where the drawn ones are at their limit, as a multiple of those drawn. All of them would be too many:
    /// in overload, with all at their limit, each refused request would look at all.</summary>
    private const int FurtherTimes = 4;

    private readonly CollaborativeBalancerOptions _options;
    private readonly UsualLoad _usual;
    private ulong _random;
    private uint _next;

    /// <summary>Where the next look at further backends begins. It may exceed the number of backends: there may be calls for fewer backends in
    /// between.</summary>
    private uint _further;

    /// <summary>Creates a balancer.</summary>
    /// <param name="options">The settings; <see langword="null"/> for the defaults.</param>
    /// <param name="seed">
    /// The seed for drawing backends when there are more than the balancer compares. Balancers with different seeds draw differently.
    /// </param>
    /// <exception cref="ArgumentOutOfRangeException">A setting is out of its range.</exception>
    public CollaborativeBalancer(CollaborativeBalancerOptions? options = null, int seed = 0)
    {
        _options = options ?? new CollaborativeBalancerOptions();
        _options.Validate();
        _usual = new UsualLoad(_options.MostCompared, _options.LoadLifetime);
        _random = ((ulong)(uint)seed << 32) | 0x9E3779B9;
        _next = (uint)seed % int.MaxValue;
    }

    /// <inheritdoc/>
    public BalancerChoice Choose(IReadOnlyList<BackendState> backends, TimeSpan now)
    {
        ArgumentNullException.ThrowIfNull(backends);
        if (backends.Count > 1)
        {
            // A request whose session belongs to one backend asks about that one only. It is no turn of the others, and says nothing about the usual values.
            _next++;
            _usual.Look(backends, now);
        }

        (int best, int first, TimeSpan retryAfter) = Look(backends, now, isAny: false);
        if (first < 0 && backends.Count > _options.MostCompared)
        {
            // None of the backends that were compared can be reached; others may be.
            (best, first, retryAfter) = Compare(backends, now, from: 0, backends.Count, isAny: false);
        }

        if (first < 0)
        {
            (best, first, retryAfter) = Look(backends, now, isAny: true);
        }

        if (best >= 0 && first >= 0 && first != best)
        {
            backends[first].Diverted++;
        }

        if (best < 0)
        {
            return BalancerChoice.None(backends.Count == 0 ? TimeSpan.Zero : retryAfter);
        }

        Charge(backends[best], now);
        return BalancerChoice.Of(best);
    }

    /// <summary>Compares all backends, or some of them where there are many.</summary>
    private (int Best, int First, TimeSpan RetryAfter) Look(IReadOnlyList<BackendState> backends, TimeSpan now, bool isAny)
    {
        bool areDrawn = backends.Count > _options.MostCompared;
        int drawn = Math.Min(backends.Count, _options.MostCompared);
        (int best, int first, TimeSpan retryAfter) = Compare(backends, now, areDrawn ? null : _next, drawn, isAny);
        if (best < 0 && areDrawn)
        {
            // The drawn backends are at their limit; others may not be. The next choice continues behind these, so that several choices together look at all.
            TimeSpan ofDrawn = retryAfter;
            int count = (int)Math.Min(backends.Count, (long)FurtherTimes * _options.MostCompared);
            (best, first, retryAfter) = Compare(backends, now, _further, count, isAny);
            retryAfter = ofDrawn < retryAfter ? ofDrawn : retryAfter;
            _further += (uint)count;
        }

        return (best, first, retryAfter);
    }

    /// <summary>
    /// Compares some backends that can be reached. Returns the best of those that may take a request, the best of all, and the time until one of them may
    /// take a request. A position is -1 where there is no such backend.
    /// </summary>
    /// <param name="backends">The backends.</param>
    /// <param name="now">The present time.</param>
    /// <param name="from">The position of the first one, with the others in turn; null draws them.</param>
    /// <param name="count">Number of backends to compare.</param>
    /// <param name="isAny">Whether backends that cannot be reached are compared as well.</param>
    private (int Best, int First, TimeSpan RetryAfter) Compare(IReadOnlyList<BackendState> backends, TimeSpan now, uint? from, int count, bool isAny)
    {
        (int best, int first) = (-1, -1);
        (double bestWork, double firstWork) = (double.PositiveInfinity, double.PositiveInfinity);
        TimeSpan retryAfter = TimeSpan.MaxValue;
        for (int i = 0; i < count; i++)
        {
            int index = from is { } start ? (int)(((ulong)start + (uint)i) % (uint)backends.Count) : Draw(backends.Count);
            BackendState backend = backends[index];
            if (!isAny && !backend.IsUp(now))
            {
                continue;
            }

            double work = Work(backend, now);
            if (work < firstWork)
            {
                (first, firstWork) = (index, work);
            }

            TimeSpan wait = Wait(backend, now);
            if (wait > TimeSpan.Zero)
            {
                retryAfter = wait < retryAfter ? wait : retryAfter;
            }
            else if (work < bestWork)
            {
                (best, bestWork) = (index, work);
            }
        }

        return (best, first, retryAfter);
    }

    /// <summary>Returns the time until a backend may take another request.</summary>
    private TimeSpan Wait(BackendState backend, TimeSpan now)
    {
        if (backend.HasExpired(now, _options.PointLifetime))
        {
            backend.Forget();
        }

        if (backend.Point is null || backend.Due == TimeSpan.MinValue)
        {
            return TimeSpan.Zero;
        }

        // A backend that gets no request does not report its point again.
        TimeSpan until = backend.Due - _options.Burst - now;
        TimeSpan counts = _options.PointLifetime - (now - backend.ReportedAt!.Value);
        return until < counts ? until : counts;
    }

    private static void Charge(BackendState backend, TimeSpan now)
    {
        if (backend.Point is { } point)
        {
            TimeSpan from = backend.Due > now ? backend.Due : now;
            backend.Due = from + TimeSpan.FromSeconds(1 / Math.Max(point.PerSecond, 1e-6));
        }
    }

    private double Work(BackendState backend, TimeSpan now)
    {
        double time = backend.ServiceSeconds(now, _options.LoadLifetime, _usual.Time);

        // A backend about which nothing is known is treated as a usual one. Otherwise it would never get a request, and would stay unknown.
        bool isUsual = time == 0 || (time <= _usual.Time * SameTime && time * SameTime >= _usual.Time);
        double seconds = isUsual ? _usual.Time : time;
        double inFlight = backend.EstimatedInFlight(now, _options.LoadLifetime, _usual.Others) + 1;
        return inFlight * (seconds > 0 ? seconds : 1) / (backend.Weight * Share(backend, now));
    }

    private double Share(BackendState backend, TimeSpan now)
    {
        TimeSpan age = now - backend.Since;
        return age >= _options.SlowStart || age < TimeSpan.Zero ? 1 : FirstShare + ((1 - FirstShare) * (age / _options.SlowStart));
    }

    /// <summary>Draws a position (xorshift; Marsaglia, 2003).</summary>
    private int Draw(int count)
    {
        _random ^= _random << 13;
        _random ^= _random >> 7;
        _random ^= _random << 17;
        return (int)(_random % (ulong)count);
    }
}
