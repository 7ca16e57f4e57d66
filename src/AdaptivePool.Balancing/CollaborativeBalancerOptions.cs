namespace AdaptivePool.Balancing;

/// <summary>Settings of a <see cref="CollaborativeBalancer"/>.</summary>
public sealed record CollaborativeBalancerOptions
{
    /// <summary>
    /// How far requests may be ahead of the rate that a backend can bear. Default 50 ms; zero to a day. A higher value lets more of a burst pass at once.
    /// </summary>
    public TimeSpan Burst { get; init; } = TimeSpan.FromMilliseconds(50);

    /// <summary>
    /// How long a report of a backend is valid. Later, the balancer ignores it, because the backend may have been replaced. Default 10 s; above zero.
    /// </summary>
    public TimeSpan PointLifetime { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>
    /// How long a report about the requests of others at a backend, and about how long requests take there, counts. Over this time the reported number of
    /// requests counts less and less, and the usual number at a backend counts more and more instead. Default 1 s; above zero.
    /// </summary>
    public TimeSpan LoadLifetime { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>
    /// How long a backend that is new or has come back gets less than its share, rising from a tenth. Default zero: it gets its whole share at once. Set it to
    /// the time that the backend needs to compile its code and fill its caches.
    /// </summary>
    public TimeSpan SlowStart { get; init; }

    /// <summary>
    /// The maximum number of backends that are compared. If there are more backends, the balancer draws this number for each request and chooses one of them.
    /// If those are at their limit, it looks at four times as many others, in turn from request to request. Default 64; at least 2.
    /// </summary>
    public int MostCompared { get; init; } = 64;

    /// <summary>Throws if a value is out of its range.</summary>
    /// <exception cref="ArgumentOutOfRangeException">A value is out of its range. The message names the option, the value and the range.</exception>
    public void Validate()
    {
        OptionCheck.Require(Burst >= TimeSpan.Zero && Burst <= BackendPicker.LongestTime, nameof(Burst), Burst, "zero to a day");
        OptionCheck.Require(PointLifetime > TimeSpan.Zero, nameof(PointLifetime), PointLifetime, "above zero");
        OptionCheck.Require(LoadLifetime > TimeSpan.Zero, nameof(LoadLifetime), LoadLifetime, "above zero");
        OptionCheck.Require(SlowStart >= TimeSpan.Zero, nameof(SlowStart), SlowStart, "zero or more");
        OptionCheck.Require(MostCompared >= 2, nameof(MostCompared), MostCompared, "at least 2");
    }
}
