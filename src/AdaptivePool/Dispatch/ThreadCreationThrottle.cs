namespace AdaptivePool.Dispatch;

/// <summary>
/// Shortest time between two thread starts, by the number of threads alive. A pool in which no thread is alive always starts one at once.
/// </summary>
/// <param name="table">The table: from how many threads on, how long.</param>
internal sealed class ThreadCreationThrottle(IReadOnlyDictionary<int, TimeSpan> table)
{
    private readonly KeyValuePair<int, TimeSpan>[] _steps = [.. table.OrderBy(static step => step.Key)];

    /// <summary>How long the next start must wait.</summary>
    /// <param name="threads">Threads alive, those that are being started included.</param>
    /// <param name="sinceLast">Time since the last start.</param>
    public TimeSpan WaitFor(int threads, TimeSpan sinceLast)
    {
        // Zero where no step applies yet.
        TimeSpan interval = Array.FindLast(_steps, step => threads >= step.Key).Value;
        return interval > sinceLast ? interval - sinceLast : TimeSpan.Zero;
    }
}
