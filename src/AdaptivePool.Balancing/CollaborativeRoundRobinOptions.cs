namespace AdaptivePool.Balancing;

/// <summary>
/// How <see cref="CollaborativeRoundRobin"/> reads its founding document where that contradicts itself or says nothing. The defaults are its words.
/// </summary>
public sealed record CollaborativeRoundRobinOptions
{
    /// <summary>
    /// By how much a point is undercut. Default <see cref="RateStep.EachPoint"/> (equation 1); the document's figure 9 (1000, 900, 800) needs
    /// <see cref="RateStep.FirstPoint"/>.
    /// </summary>
    public RateStep Step { get; init; } = RateStep.EachPoint;

    /// <summary>What happens to a request while all backends are at their limit, which the document leaves open. Default <see
    /// cref="LimitedChoice.NextInTurn"/>.</summary>
    public LimitedChoice AllAtLimit { get; init; } = LimitedChoice.NextInTurn;

    /// <summary>After which time a point is forgotten that was not repeated. Default <see langword="null"/>: never, as in the document. Above zero.</summary>
    public TimeSpan? PointLifetime { get; init; }

    /// <summary>How often the counters are set to zero. Default 1 s; above zero. The admitted count is that of a second whatever it is.</summary>
    public TimeSpan CounterPeriod { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>Throws when a value is out of its range.</summary>
    /// <exception cref="ArgumentOutOfRangeException">It is; the message names the option, the value and the range.</exception>
    public void Validate()
    {
        OptionCheck.Require(Enum.IsDefined(Step), nameof(Step), Step, "EachPoint or FirstPoint");
        OptionCheck.Require(Enum.IsDefined(AllAtLimit), nameof(AllAtLimit), AllAtLimit, "NextInTurn, LeastLoaded or Refuse");
        OptionCheck.Require(PointLifetime is null || PointLifetime > TimeSpan.Zero, nameof(PointLifetime), PointLifetime, "above zero");
        OptionCheck.Require(CounterPeriod > TimeSpan.Zero, nameof(CounterPeriod), CounterPeriod, "above zero");
    }
}
