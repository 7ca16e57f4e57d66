namespace AdaptivePool.Sample.Bank.Show;

/// <summary>Latencies of the last seconds.</summary>
/// <param name="Asked">Requests sent.</param>
/// <param name="Unanswered">How many of them have no answer yet; they count with the time they have waited.</param>
/// <param name="P50">Median in milliseconds; null before the first request.</param>
/// <param name="P99">99th percentile in milliseconds; null before the first request.</param>
/// <param name="Worst">The longest in milliseconds; null before the first request.</param>
internal sealed record LatencyReport(int Asked, int Unanswered, double? P50, double? P99, double? Worst);
