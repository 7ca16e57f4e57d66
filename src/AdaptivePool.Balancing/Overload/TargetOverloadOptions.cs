namespace AdaptivePool.Balancing.Overload;

/// <summary>Settings of a <see cref="TargetOverloadPolicy"/>.</summary>
public sealed record TargetOverloadOptions
{
    private const int MostLooks = 10_000;

    /// <summary>
    /// The average wait of the queued requests above which the backend is overloaded. Where more requests have begun during the window than wait, those since
    /// the last look must have waited for as long on average. Default 4 ms; above zero. A higher value uses the backend more and makes responses later. DAGOR
    /// uses 20 ms, and controlled delay 5 ms.
    /// </summary>
    public TimeSpan Target { get; init; } = TimeSpan.FromMilliseconds(4);

    /// <summary>The time between two looks at the queue. Default 100 ms; 1 ms to a day.</summary>
    public TimeSpan Interval { get; init; } = TimeSpan.FromMilliseconds(100);

    /// <summary>
    /// The time over which completions are counted, or longer where fewer than ten requests complete in it, and the minimum time between two steps down.
    /// Default 500 ms; <see cref="Interval"/> to 10,000 times that, at most a day. Each look reads all looks of this time.
    /// </summary>
    public TimeSpan Window { get; init; } = TimeSpan.FromMilliseconds(500);

    /// <summary>The time after which the point is removed, if it has held no requests back during this time. Default 5 s; above zero.</summary>
    public TimeSpan ClearAfter { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>Throws if a value is out of its range.</summary>
    /// <exception cref="ArgumentOutOfRangeException">A value is out of its range. The message names the option, the value and the range.</exception>
    public void Validate()
    {
        OptionCheck.Require(Target > TimeSpan.Zero, nameof(Target), Target, "above zero");
        OptionCheck.RequireInterval(Interval);
        TimeSpan longest = Interval < BackendPicker.LongestTime / MostLooks ? MostLooks * Interval : BackendPicker.LongestTime;
        OptionCheck.Require(Window >= Interval && Window <= longest, nameof(Window), Window, $"{Interval} (the interval) to {longest}");
        OptionCheck.Require(ClearAfter > TimeSpan.Zero, nameof(ClearAfter), ClearAfter, "above zero");
    }
}
