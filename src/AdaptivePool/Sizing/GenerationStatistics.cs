namespace AdaptivePool.Sizing;

/// <summary>Sums over the items that started AND completed while the limit in force was in force. The sums are cumulative; differences make
/// windows.</summary>
/// <param name="Completed">Items completed.</param>
/// <param name="Timed">Of these, items with a measured service time: short items are sampled.</param>
/// <param name="ServiceSeconds">Sum of the measured service times.</param>
/// <param name="ServiceSecondsSquared">Sum of their squares.</param>
internal readonly record struct GenerationStatistics(long Completed, long Timed, double ServiceSeconds, double ServiceSecondsSquared)
{
    /// <summary>Mean service time in seconds; NaN when nothing was timed.</summary>
    public double MeanService => Timed > 0 ? ServiceSeconds / Timed : double.NaN;

    /// <summary>Coefficient of variation of the service time; NaN when fewer than two items were timed.</summary>
    public double Variation
    {
        get
        {
            if (Timed < 2 || ServiceSeconds <= 0)
            {
                return double.NaN;
            }

            double mean = MeanService;
            double variance = (ServiceSecondsSquared - (Timed * mean * mean)) / (Timed - 1);
            return Math.Sqrt(Math.Max(0, variance)) / mean;
        }
    }

    /// <summary>What was added since an earlier reading.</summary>
    public static GenerationStatistics operator -(GenerationStatistics later, GenerationStatistics earlier) => new(
        later.Completed - earlier.Completed,
        later.Timed - earlier.Timed,
        later.ServiceSeconds - earlier.ServiceSeconds,
        later.ServiceSecondsSquared - earlier.ServiceSecondsSquared);
}
