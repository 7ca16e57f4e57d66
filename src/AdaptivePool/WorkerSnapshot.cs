namespace AdaptivePool;

/// <summary>One worker at one moment.</summary>
public sealed record WorkerSnapshot
{
    /// <summary>Number of the worker in its pool; reused after its thread has ended.</summary>
    public required int Id { get; init; }

    /// <summary>What it does.</summary>
    public required WorkerState State { get; init; }

    /// <summary>
    /// Work class of its item, "(in flight)" for work that continues something; <see langword="null"/> without an item. While it blocks in a wait that the hook
    /// sees, the class that the waiting code belongs to.
    /// </summary>
    public string? ClassName { get; init; }

    /// <summary>How long it has held its item; zero without one. Exact for items that run for long, otherwise since the item was first seen.</summary>
    public TimeSpan ItemAge { get; init; }

    /// <summary>
    /// The method that blocks, when it is known: the first one outside the framework. Waits of 20 ms and more are named, within a bound of 100 per second.
    /// </summary>
    public string? Method { get; init; }

    /// <summary>How it blocks, as in <see cref="Blocker.Kind"/>; <see langword="null"/> when it does not.</summary>
    public string? Kind { get; init; }

    /// <summary>Reason of its outermost <see cref="BlockingScope"/>.</summary>
    public string? Reason { get; init; }

    /// <summary>Whether it runs items past every limit because the pool is deadlocked; see <see cref="AdaptivePoolOptions.EmergencyThreads"/>.</summary>
    public bool IsEmergency { get; init; }
}
