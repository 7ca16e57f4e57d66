namespace AdaptivePool.Balancing;

/// <summary>Settings of a <see cref="CollaborativeBalancer"/>.</summary>
public sealed record CollaborativeBalancerOptions
{
    /// <summary>
    /// How far requests may be ahead of the rate that a backend can bear. Default 50 ms; zero to a day. A higher value lets more of a burst through at once.
    /// </summary>
    public TimeSpan Burst { get; init; } = TimeSpan.FromMilliseconds(50);

    /// <summary>After which time a backend's report counts no more: it may have been replaced. Default 10 s; above zero.</summary>
    public TimeSpan PointLifetime { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>
    /// For how long it counts how many requests others have at a backend, ever less (what they usually have at one counts ever more instead), and how long they
    /// take there. Default 1 s; above zero.
    /// </summary>
    public TimeSpan LoadLifetime { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>
    /// How long a backend that is new or has come back gets less than its share, rising from a tenth. Default zero: at once the whole. Set it to
    /// the time that its
    /// code takes to be compiled and its caches to be filled.
    /// </summary>
    public TimeSpan SlowStart { get; init; }

    /// <summary>With more backends than this, so many are drawn for each request, and one of them is chosen. Default 64; at least 2.</summary>
    public int MostCompared { get; init; } = 64;

    /// <summary>Throws when a value is out of its range.</summary>
    /// <exception cref="ArgumentOutOfRangeException">It is; the message names the option, the value and the range.</exception>
    public void Validate()
    {
        OptionCheck.Require(Burst >= TimeSpan.Zero && Burst <= BackendPicker.LongestTime, nameof(Burst), Burst, "zero to a day");
        OptionCheck.Require(PointLifetime > TimeSpan.Zero, nameof(PointLifetime), PointLifetime, "above zero");
        OptionCheck.Require(LoadLifetime > TimeSpan.Zero, nameof(LoadLifetime), LoadLifetime, "above zero");
        OptionCheck.Require(SlowStart >= TimeSpan.Zero, nameof(SlowStart), SlowStart, "zero or more");
        OptionCheck.Require(MostCompared >= 2, nameof(MostCompared), MostCompared, "at least 2");
    }
}
