namespace AdaptivePool.Balancing.Overload;

/// <summary>
/// How <see cref="GrowthOverloadPolicy"/> interprets its founding document where the document is silent. The defaults follow its text, or what its figures
/// need.
/// </summary>
public sealed record GrowthOverloadOptions
{
    /// <summary>
    /// The growth of the average wait from one look to the next that means overload, as a share. Default 0.1, "determined after successive simulation tests";
    /// zero or more.
    /// </summary>
    public double Growth { get; init; } = 0.1;

    /// <summary>The time between two looks at the queue. Default 500 ms; 1 ms to a day.</summary>
    public TimeSpan Interval { get; init; } = TimeSpan.FromMilliseconds(500);

    /// <summary>
    /// The time over which the request rate is counted. Default 1 s; <see cref="Interval"/> to a day. So the rate can be up to this old when it is
    /// reported.
    /// </summary>
    public TimeSpan RatePeriod { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>Whether growth from no wait at all, for which there is no percentage, means overload. Default false.</summary>
    public bool FromZero { get; init; }

    /// <summary>The average wait up to which a wait does not count. Default zero: any wait counts, as in the document, including noise.</summary>
    public TimeSpan Floor { get; init; }

    /// <summary>Whether looks count before the pool has been sized. Default false: in the document they start after the first sizing.</summary>
    public bool BeforeSizing { get; init; }

    /// <summary>
    /// Whether a point is reported again at the next look, while the rate has not been counted anew. Default true: the document does not distinguish old rates
    /// from new rates.
    /// </summary>
    public bool RepeatRate { get; init; } = true;

    /// <summary>The time without overload after which the point is removed. Default <see langword="null"/>: never, as in the document. Above zero.</summary>
    public TimeSpan? ClearAfter { get; init; }

    /// <summary>Throws if a value is out of its range.</summary>
    /// <exception cref="ArgumentOutOfRangeException">A value is out of its range. The message names the option, the value and the range.</exception>
    public void Validate()
    {
        OptionCheck.Require(Growth >= 0, nameof(Growth), Growth, "zero or more");
        OptionCheck.RequireInterval(Interval);
        OptionCheck.Require(RatePeriod >= Interval && RatePeriod <= BackendPicker.LongestTime, nameof(RatePeriod), RatePeriod, "the interval to a day");
        OptionCheck.Require(Floor >= TimeSpan.Zero, nameof(Floor), Floor, "zero or more");
        OptionCheck.Require(ClearAfter is null || ClearAfter > TimeSpan.Zero, nameof(ClearAfter), ClearAfter, "above zero");
    }
}
