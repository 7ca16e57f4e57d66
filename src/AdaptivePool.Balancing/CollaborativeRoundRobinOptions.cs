namespace AdaptivePool.Balancing;

/// <summary>
/// How <see cref="CollaborativeRoundRobin"/> interprets its founding document where the document contradicts itself or is silent. The defaults follow its text.
/// </summary>
public sealed record CollaborativeRoundRobinOptions
{
    /// <summary>
    /// How far the balancer stays below a point. Default <see cref="RateStep.EachPoint"/> (equation 1); the document's figure 9 (1000, 900, 800) needs
    /// <see cref="RateStep.FirstPoint"/>.
    /// </summary>
    public RateStep Step { get; init; } = RateStep.EachPoint;

    /// <summary>
    /// What happens to a request while all backends are at their limit, which the document does not specify. Default <see cref="LimitedChoice.NextInTurn"/>.
    /// </summary>
    public LimitedChoice AllAtLimit { get; init; } = LimitedChoice.NextInTurn;

    /// <summary>How long a point is valid if it is not repeated. Default <see langword="null"/>: for ever, as in the document. Above zero.</summary>
    public TimeSpan? PointLifetime { get; init; }

    /// <summary>How often the counters are set to zero. Default 1 s; above zero. As many requests are admitted as the rate gives in this time.</summary>
    public TimeSpan CounterPeriod { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>Throws if a value is out of its range.</summary>
    /// <exception cref="ArgumentOutOfRangeException">A value is out of its range. The message names the option, the value and the range.</exception>
    public void Validate()
    {
        OptionCheck.Require(Enum.IsDefined(Step), nameof(Step), Step, "EachPoint or FirstPoint");
        OptionCheck.Require(Enum.IsDefined(AllAtLimit), nameof(AllAtLimit), AllAtLimit, "NextInTurn, LeastLoaded or Refuse");
        OptionCheck.Require(PointLifetime is null || PointLifetime > TimeSpan.Zero, nameof(PointLifetime), PointLifetime, "above zero");
        OptionCheck.Require(CounterPeriod > TimeSpan.Zero, nameof(CounterPeriod), CounterPeriod, "above zero");
    }
}
