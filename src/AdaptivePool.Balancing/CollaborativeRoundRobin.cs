namespace AdaptivePool.Balancing;

/// <summary>
/// The collaborative round robin of the founding document. The backends take turns, but a backend that has reported an overload point (OP) gets at most OP -
/// 10^floor(log10 OP)/10 requests a second, measured with counters that are reset each second. This follows the document literally.
/// <see cref="CollaborativeBalancer"/> is the better balancer.
/// </summary>
/// <remarks>F. Bahadur and others, "The Double Edge Sword Based Distributed Executor Service" (2021).</remarks>
public sealed class CollaborativeRoundRobin : IBalancer
{
    private readonly CollaborativeRoundRobinOptions _options;
    private int _next;
    private TimeSpan? _resetAt;
    private long _period;

    /// <summary>Creates a balancer.</summary>
    /// <param name="options">The interpretation of the document; <see langword="null"/> for its literal text.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    public CollaborativeRoundRobin(CollaborativeRoundRobinOptions? options = null)
    {
        _options = options ?? new CollaborativeRoundRobinOptions();
        _options.Validate();
    }

    /// <inheritdoc/>
    public BalancerChoice Choose(IReadOnlyList<BackendState> backends, TimeSpan now)
    {
        ArgumentNullException.ThrowIfNull(backends);
        ResetCounters(now);
        for (int i = 0; i < backends.Count; i++)
        {
            int index = (_next + i) % backends.Count;
            BackendState backend = backends[index];
            Expire(backend, now);
            if (backend.Point is not { } point)
            {
                return Take(backends, index);
            }

            if (backend.CountedIn(_period) < Admitted(backend, point))
            {
                backend.CountIn(_period);
                return Take(backends, index);
            }
        }

        return AllAtLimit(backends, now);
    }

    /// <summary>Returns the number of requests that a backend may get in a period, by its point.</summary>
    private double Admitted(BackendState backend, OverloadPoint point)
    {
        double placement = _options.Step == RateStep.FirstPoint ? backend.FirstPlacement : point.Placement;
        double admitted = (point.PerSecond - (placement / OverloadPoint.StepDivisor)) * _options.CounterPeriod.TotalSeconds;

        // The step of the first point may be larger than a point that has come down from it. One request is needed to learn that the overload is over.
        return Math.Max(1, admitted);
    }

    private BalancerChoice AllAtLimit(IReadOnlyList<BackendState> backends, TimeSpan now)
    {
        if (backends.Count == 0 || _options.AllAtLimit == LimitedChoice.Refuse)
        {
            return BalancerChoice.None(backends.Count == 0 ? TimeSpan.Zero : _options.CounterPeriod - (now - _resetAt!.Value));
        }

        return Take(backends, _options.AllAtLimit == LimitedChoice.NextInTurn ? _next % backends.Count : LeastLoaded(backends));
    }

    private static int LeastLoaded(IReadOnlyList<BackendState> backends)
    {
        int best = 0;
        for (int i = 1; i < backends.Count; i++)
        {
            best = Load(backends[i]) < Load(backends[best]) ? i : best;
        }

        return best;

        static double Load(BackendState backend) => (backend.InFlight + 1) / backend.Point!.Value.PerSecond;
    }

    private BalancerChoice Take(IReadOnlyList<BackendState> backends, int index)
    {
        int first = _next % backends.Count;
        if (index != first)
        {
            backends[first].Diverted++;
        }

        // A request whose session belongs to one backend asks about that one only. It is no turn of the others.
        _next = backends.Count > 1 ? index + 1 : _next;
        return BalancerChoice.Of(index);
    }

    private void Expire(BackendState backend, TimeSpan now)
    {
        if (backend.HasExpired(now, _options.PointLifetime))
        {
            backend.Forget();
        }
    }

    // A period has a number, because a request may ask about some of the backends only, as that of a session does, and the counters of all start again.
    private void ResetCounters(TimeSpan now)
    {
        _resetAt ??= now;

        // A clock that has gone back starts a new period, as does one that has gone far ahead.
        TimeSpan elapsed = now - _resetAt.Value;
        if (elapsed >= TimeSpan.Zero && elapsed < _options.CounterPeriod)
        {
            return;
        }

        // Nothing is added before the period is known to be over: a period may be as long as the longest time.
        bool isNext = elapsed >= TimeSpan.Zero && elapsed - _options.CounterPeriod < _options.CounterPeriod;
        _resetAt = isNext ? _resetAt.Value + _options.CounterPeriod : now;
        _period++;
    }
}
