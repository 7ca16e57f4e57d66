namespace AdaptivePool.Balancing.Overload;

/// <summary>Settings of a <see cref="TargetOverloadPolicy"/>.</summary>
public sealed record TargetOverloadOptions
{
    /// <summary>
    /// Average wait of the queued requests above which the backend is overloaded. Default 4 ms; above zero. A higher value uses the backend more
    /// and answers later.
    /// DAGOR uses 20 ms, controlled delay 5 ms.
    /// </summary>
    public TimeSpan Target { get; init; } = TimeSpan.FromMilliseconds(4);

    /// <summary>Time between looks. Default 100 ms; above zero.</summary>
    public TimeSpan Interval { get; init; } = TimeSpan.FromMilliseconds(100);

    /// <summary>Over which time completions are counted, and the shortest time between two steps down. Default 500 ms; not under <see
    /// cref="Interval"/>.</summary>
    public TimeSpan Window { get; init; } = TimeSpan.FromMilliseconds(500);

    /// <summary>After which time in which the point was not what held requests back it is taken back. Default 5 s; above zero.</summary>
    public TimeSpan ClearAfter { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>Throws when a value is out of its range.</summary>
    /// <exception cref="ArgumentOutOfRangeException">It is; the message names the option, the value and the range.</exception>
    public void Validate()
    {
        OptionCheck.Require(Target > TimeSpan.Zero, nameof(Target), Target, "above zero");
        OptionCheck.Require(Interval > TimeSpan.Zero, nameof(Interval), Interval, "above zero");
        OptionCheck.Require(Window >= Interval, nameof(Window), Window, "at least the interval");
        OptionCheck.Require(ClearAfter > TimeSpan.Zero, nameof(ClearAfter), ClearAfter, "above zero");
    }
}
