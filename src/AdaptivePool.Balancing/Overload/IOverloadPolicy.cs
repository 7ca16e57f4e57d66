namespace AdaptivePool.Balancing.Overload;

/// <summary>
/// Finds the rate at which a backend is overloaded, from looks at its queue. Implementations are pure except for what they remember. Not thread-safe.
/// <see cref="OverloadMonitor.Faulted"/> reports an exception that an implementation throws.
/// </summary>
public interface IOverloadPolicy
{
    /// <summary>The time between two looks, 1 ms to a day. It is read again after each look.</summary>
    TimeSpan Interval { get; }

    /// <summary>Processes one look at the queue.</summary>
    /// <param name="reading">The state of the queue.</param>
    /// <returns>The point from now on; <see langword="null"/> for none.</returns>
    OverloadPoint? Observe(in QueueReading reading);
}
