namespace AdaptivePool.Balancing.Overload;

/// <summary>Says from looks at a backend's queue at which rate it is overloaded. Implementations are pure but for what they remember. Not
/// thread-safe.</summary>
public interface IOverloadPolicy
{
    /// <summary>How long to wait between looks.</summary>
    TimeSpan Interval { get; }

    /// <summary>Takes a look.</summary>
    /// <param name="reading">What is there.</param>
    /// <returns>The point in force from now on; <see langword="null"/> for none.</returns>
    OverloadPoint? Observe(in QueueReading reading);
}
