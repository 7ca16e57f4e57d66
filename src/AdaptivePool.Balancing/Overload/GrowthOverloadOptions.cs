namespace AdaptivePool.Balancing.Overload;

/// <summary>How <see cref="GrowthOverloadPolicy"/> reads its founding document where that says nothing. The defaults are its words, or its figures'
/// need.</summary>
public sealed record GrowthOverloadOptions
{
    /// <summary>Growth of the average wait from look to look that means overload, as a share. Default 0.1, "determined after successive
    /// simulation tests"; zero or more.</summary>
    public double Growth { get; init; } = 0.1;

    /// <summary>Time between looks. Default 500 ms; above zero.</summary>
    public TimeSpan Interval { get; init; } = TimeSpan.FromMilliseconds(500);

    /// <summary>Over which time the request rate is counted. Default 1 s; not under <see cref="Interval"/>. So the rate is up to this old when it
    /// is told.</summary>
    public TimeSpan RatePeriod { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>Whether growth from no wait at all, of which no percentage can be said, means overload. Default false.</summary>
    public bool FromZero { get; init; }

    /// <summary>Average waits up to this are none. Default zero: any wait counts, as in the document, and noise with it.</summary>
    public TimeSpan Floor { get; init; }

    /// <summary>Whether looks count before the pool has been sized. Default false: the document starts them after the first sizing.</summary>
    public bool BeforeSizing { get; init; }

    /// <summary>Whether a point is told again at the next look while the rate has not been counted anew. Default true: the document does not tell
    /// old rates from new ones.</summary>
    public bool RepeatRate { get; init; } = true;

    /// <summary>After which time without overload the point is taken back. Default <see langword="null"/>: never, as in the document. Above
    /// zero.</summary>
    public TimeSpan? ClearAfter { get; init; }

    /// <summary>Throws when a value is out of its range.</summary>
    /// <exception cref="ArgumentOutOfRangeException">It is; the message names the option, the value and the range.</exception>
    public void Validate()
    {
        OptionCheck.Require(Growth >= 0, nameof(Growth), Growth, "zero or more");
        OptionCheck.Require(Interval > TimeSpan.Zero, nameof(Interval), Interval, "above zero");
        OptionCheck.Require(RatePeriod >= Interval, nameof(RatePeriod), RatePeriod, "at least the interval");
        OptionCheck.Require(Floor >= TimeSpan.Zero, nameof(Floor), Floor, "zero or more");
        OptionCheck.Require(ClearAfter is null || ClearAfter > TimeSpan.Zero, nameof(ClearAfter), ClearAfter, "above zero");
    }
}
