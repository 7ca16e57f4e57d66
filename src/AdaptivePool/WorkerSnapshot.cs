namespace AdaptivePool;

/// <summary>One worker at one moment.</summary>
public sealed record WorkerSnapshot
{
    /// <summary>The number of the worker in its pool. It is reused after the worker's thread has ended.</summary>
    public required int Id { get; init; }

    /// <summary>What the worker does.</summary>
    public required WorkerState State { get; init; }

    /// <summary>
    /// The work class of the worker's item, or "(in flight)" for work that continues work that has already started; <see langword="null"/> without an item.
    /// While the worker blocks, it is the class of the waiting code.
    /// </summary>
    public string? ClassName { get; init; }

    /// <summary>
    /// How long the worker has held its item; zero without an item. The time is exact for items that run for long; otherwise it counts from when the item was
    /// first seen.
    /// </summary>
    public TimeSpan ItemAge { get; init; }

    /// <summary>
    /// The method that blocks, if it is known, as in <see cref="Blocker.Method"/>. Waits of 20 ms and more are named, at most 100 per second.
    /// </summary>
    public string? Method { get; init; }

    /// <summary>The kind of wait, as in <see cref="Blocker.Kind"/>; <see langword="null"/> if the worker does not block.</summary>
    public string? Kind { get; init; }

    /// <summary>The reason of the worker's outermost <see cref="BlockingScope"/>.</summary>
    public string? Reason { get; init; }

    /// <summary>
    /// Whether the worker runs items beyond every limit because the pool is deadlocked; see <see cref="AdaptivePoolOptions.EmergencyThreads"/>.
    /// </summary>
    public bool IsEmergency { get; init; }
}
