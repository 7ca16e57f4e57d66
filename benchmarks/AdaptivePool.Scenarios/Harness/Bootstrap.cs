namespace AdaptivePool.Scenarios.Harness;

/// <summary>Computes confidence intervals for the median of few values.</summary>
public static class Bootstrap
{
    private const int Resamples = 4_000;
    private const double Tail = 0.025;

    // The same values always have the same interval.
    private const int Seed = 1;

    /// <summary>The median of values. A value that was not reached (NaN) counts as lower than all others. NaN without values.</summary>
    public static double Median(IReadOnlyList<double> values)
    {
        double[] sorted = [.. values.Order()];
        int middle = sorted.Length / 2;
        return sorted.Length == 0 ? double.NaN : sorted.Length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    /// <summary>The interval of 95 % of the median of groups: groups are drawn with their values, because values of one group are not independent.</summary>
    /// <param name="groups">Values of each group.</param>
    /// <returns>The ends of the interval; NaN without values.</returns>
    public static (double Low, double High) MedianInterval(IReadOnlyList<IReadOnlyList<double>> groups)
    {
        if (groups.Count == 0)
        {
            return (double.NaN, double.NaN);
        }

        Random random = new(Seed);
        double[] medians = new double[Resamples];
        for (int i = 0; i < medians.Length; i++)
        {
            medians[i] = Median([.. Enumerable.Range(0, groups.Count).SelectMany(_ => groups[random.Next(groups.Count)])]);
        }

        Array.Sort(medians);
        return (medians[(int)(Tail * Resamples)], medians[^(int)(Tail * Resamples)]);
    }
}
