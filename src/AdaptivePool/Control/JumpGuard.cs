namespace AdaptivePool.Control;

/// <summary>Refuses jumps that cannot be right whatever was measured (seed 000, "False jump" and "False transition").</summary>
internal static class JumpGuard
{
    /// <summary>Returns true when the number of clients is too small to use the number of threads.</summary>
    /// <param name="connections">Clients that may send work at once; <see langword="null"/> when not known, and then nothing is refused.</param>
    /// <param name="newSize">The size to jump to, in threads; one or more.</param>
    /// <param name="minConnectionsPerThread">Connections per thread below which a jump is false.</param>
    public static bool IsFalseJump(int? connections, int newSize, double minConnectionsPerThread)
        => connections is int known && (double)known / newSize < minConnectionsPerThread;

    /// <summary>Returns true when a size cannot be the best one because it is too far above the number of clients.</summary>
    /// <param name="connections">Clients that may send work at once; <see langword="null"/> when not known, and then nothing is refused.</param>
    /// <param name="size">The size that would count as the best, in threads.</param>
    /// <param name="maxThreadsAboveConnections">Threads above the connections from which the transition is false.</param>
    public static bool IsFalseTransition(int? connections, int size, int maxThreadsAboveConnections)
        => connections is int known && (long)size - known > maxThreadsAboveConnections;
}
