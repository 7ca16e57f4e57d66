namespace AdaptivePool.Sample.Bank.Threads;

/// <summary>Threads of both pools in this process.</summary>
/// <param name="Runtime">Threads of the runtime's pool now.</param>
/// <param name="Adaptive">Threads of AdaptivePool now; zero when it is not used.</param>
/// <param name="Completed">Items that AdaptivePool has completed; null when it is not used.</param>
public sealed record ThreadReport(int Runtime, int Adaptive, long? Completed)
{
    public static ThreadReport Take(AdaptiveThreadPool? pool)
    {
        PoolSnapshot? snapshot = pool?.GetSnapshot();
        return new ThreadReport(ThreadPool.ThreadCount, snapshot is null ? 0 : snapshot.Existing + snapshot.LongRunning, snapshot?.Completed);
    }
}
