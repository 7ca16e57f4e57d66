using AdaptivePool.Scenarios.Harness;

namespace AdaptivePool.Scenarios.Scenarios.BlockingIo;

/// <summary>Rates as shares of what is physically possible.</summary>
public static class BlockingIoShares
{
    private const string Ideal = "ideal-rate";
    private static readonly string[] s_rates = ["rate-1s", "rate-3s", "rate-steady"];

    /// <summary>The metrics added here.</summary>
    public static IEnumerable<MetricInfo> Metrics => s_rates.Select(static rate => new MetricInfo(NameOf(rate), "%", Better.Higher));

    /// <summary>Adds each round's rates as percentages of the ideal rate of the same case.</summary>
    public static void Add(ResultSet results)
    {
        foreach (ResultCell ideal in results.Cells.Where(static c => c.Metric.Name == Ideal).ToArray())
        {
            foreach (string rate in s_rates)
            {
                foreach (double value in results.Find(ideal.Case, ideal.Pool, rate)?.Values.ToArray() ?? [])
                {
                    results.Add(ideal.Case, ideal.Pool, new MeasuredValue(NameOf(rate), 100 * value / ideal.Median));
                }
            }
        }
    }

    private static string NameOf(string rate) => rate.Replace("rate", "ideal-share", StringComparison.Ordinal) + "-percent";
}
