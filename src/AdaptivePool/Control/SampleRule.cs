namespace AdaptivePool.Control;

/// <summary>Says whether a sample can be believed. One that cannot teaches nothing.</summary>
internal static class SampleRule
{
    /// <summary>True when every number of the sample is possible.</summary>
    /// <param name="sample">The sample.</param>
    public static bool IsValid(in PoolSample sample)
        => sample.Elapsed > TimeSpan.Zero
        && sample.Completions >= 0
        && sample.Arrivals >= 0
        && sample.Queued >= 0
        && sample.Target >= 1
        && sample.MinTarget >= 1
        && sample.MaxTarget >= sample.MinTarget
        && sample.Active >= 0
        && sample.Running >= 0
        && sample.Blocked >= 0
        && sample.MeanQueueWait >= TimeSpan.Zero
        && sample.MaxQueueWait >= TimeSpan.Zero
        && sample.MeanServiceTime >= TimeSpan.Zero
        && sample.OldestItemAge >= TimeSpan.Zero
        && sample.Connections is not < 0
        && double.IsFinite(sample.Cores)
        && sample.Cores >= 0
        && IsUnknownOrPositive(sample.Utilisation)
        && IsUnknownOrPositive(sample.WorkerCpuSeconds)
        && IsUnknownOrPositive(sample.RequestGapSeconds);

    // Not-a-number means "not known" for these; an infinity or a negative value is a broken clock.
    private static bool IsUnknownOrPositive(double value) => double.IsNaN(value) || (value >= 0 && double.IsFinite(value));
}
