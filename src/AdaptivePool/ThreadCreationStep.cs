namespace AdaptivePool;

/// <summary>One step of a <see cref="ThreadCreationThrottle"/>.</summary>
/// <param name="Threads">Number of threads from which it holds; 1 or more.</param>
/// <param name="Interval">Shortest time between two thread starts; zero to 60 s.</param>
public readonly record struct ThreadCreationStep(int Threads, TimeSpan Interval);
