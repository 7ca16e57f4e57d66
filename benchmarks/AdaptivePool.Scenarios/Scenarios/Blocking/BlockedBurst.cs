using System.Diagnostics;
using AdaptivePool.Scenarios.Pools;

namespace AdaptivePool.Scenarios.Scenarios.Blocking;

/// <summary>Items that all wait for one event, and then go on.</summary>
public sealed class BlockedBurst(int count, Action afterwards)
{
    private static readonly TimeSpan s_look = TimeSpan.FromMilliseconds(5);

    // No spinning: the wait itself is what is meant.
    private readonly ManualResetEventSlim _event = new(initialState: false, spinCount: 0);
    private int _blocked;

    /// <summary>Items that reached their wait.</summary>
    public int Blocked => Volatile.Read(ref _blocked);

    /// <summary>Queues the items.</summary>
    public void Start(ComparedPool pool)
    {
        for (int i = 0; i < count; i++)
        {
            _ = pool.Run(() =>
            {
                Interlocked.Increment(ref _blocked);
                _event.Wait();
                afterwards();
            });
        }
    }

    /// <summary>Waits until all items wait, or the limit is over: the runtime's pool takes half a second for each.</summary>
    public void WaitUntilBlocked(TimeSpan limit)
    {
        long start = Stopwatch.GetTimestamp();
        while (Blocked < count && Stopwatch.GetElapsedTime(start) < limit)
        {
            Thread.Sleep(s_look);
        }
    }

    /// <summary>Lets all go on.</summary>
    public void Release() => _event.Set();
}
