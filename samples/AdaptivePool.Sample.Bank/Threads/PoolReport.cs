namespace AdaptivePool.Sample.Bank.Threads;

/// <summary>What the pool that runs the requests of this process looks like now.</summary>
/// <param name="Pool">Which pool it is.</param>
/// <param name="Threads">Threads of the pool.</param>
/// <param name="Running">Threads that hold an item and run; null where the pool does not tell.</param>
/// <param name="Blocked">Threads that hold an item and wait; null where the pool does not tell.</param>
/// <param name="Queued">Items that wait for a thread.</param>
/// <param name="Target">Threads that the pool wants; null where it does not tell.</param>
/// <param name="Completed">Items completed since the start, requests that ran where the server put them included.</param>
/// <param name="OtherThreads">Threads of the runtime's pool beside it; zero when that is the pool.</param>
public sealed record PoolReport(string Pool, int Threads, int? Running, int? Blocked, long Queued, int? Target, long Completed, int OtherThreads)
{
    public static PoolReport Take(AdaptiveThreadPool? pool)
    {
        if (pool?.GetSnapshot() is { } snapshot)
        {
            return new PoolReport(
                "AdaptivePool", snapshot.Existing + snapshot.LongRunning, snapshot.Running, snapshot.Blocked, snapshot.Queued, snapshot.Target,
                snapshot.Completed + snapshot.Classes.Sum(static item => item.GuestRequests), ThreadPool.ThreadCount);
        }

        return new PoolReport("the runtime's pool", ThreadPool.ThreadCount, null, null, ThreadPool.PendingWorkItemCount, null,
            ThreadPool.CompletedWorkItemCount, 0);
    }
}
