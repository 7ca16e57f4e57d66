namespace AdaptivePool.Sample.Bank.Compare;

/// <summary>All cells of one endpoint on one pool.</summary>
internal sealed record Summary
{
    /// <summary>All answers, over the time until the last of them: an endpoint that answers only when the load is over has a rate too.</summary>
    public required double RequestsPerSecond { get; init; }

    public required TimeSpan P50 { get; init; }

    public required TimeSpan P99 { get; init; }

    /// <summary>Whether requests without an answer are among the latencies, with the time they had waited: the true values lie beyond.</summary>
    public required bool IsLowerBound { get; init; }

    public required int PeakThreads { get; init; }

    /// <summary>Time until full speed in the first cell; null when it was not reached.</summary>
    public required TimeSpan? FullSpeed { get; init; }

    public required TimeSpan FirstCell { get; init; }

    public static Summary Of(IReadOnlyList<CellResult> cells)
    {
        TimeSpan[] latencies = [.. cells.SelectMany(c => c.Answers.Select(a => a.Latency).Concat(c.Unanswered)).Order()];
        double seconds = cells.Sum(c => c.End.TotalSeconds);
        return new Summary
        {
            RequestsPerSecond = cells.Sum(c => c.Answers.Count) / seconds,
            P50 = Percentile(latencies, 0.50),
            P99 = Percentile(latencies, 0.99),
            IsLowerBound = cells.Any(c => c.Unanswered.Count > 0),
            PeakThreads = cells.Max(c => c.PeakThreads),
            FullSpeed = FullSpeedRule.Find(cells),
            FirstCell = cells[0].Duration,
        };
    }

    // Nearest rank: a value that was really seen.
    private static TimeSpan Percentile(TimeSpan[] sorted, double share)
        => sorted.Length == 0 ? TimeSpan.Zero : sorted[Math.Max(0, (int)Math.Ceiling(share * sorted.Length) - 1)];
}
