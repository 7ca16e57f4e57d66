namespace AdaptivePool.SeedWave;

/// <summary>Says when so little completes that searching is not practical (seed 000, <c>min_accepted_throughput</c>).</summary>
internal static class MinimumThroughputRule
{
    /// <summary>True when the controller should be suspended.</summary>
    /// <param name="throughput">Completions per second of the sample.</param>
    /// <param name="best">Highest throughput seen since the search began; zero when none.</param>
    /// <param name="minimum">The minimum accepted.</param>
    /// <param name="isPercentOfBest">Whether the minimum is in per cent of the best; otherwise in completions per second.</param>
    public static bool IsTooLow(double throughput, double best, double minimum, bool isPercentOfBest)
        => throughput < (isPercentOfBest ? minimum / 100 * best : minimum);
}
