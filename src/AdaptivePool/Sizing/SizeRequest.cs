namespace AdaptivePool.Sizing;

/// <summary>The bounds that a user wishes. Passed to the sizing thread, the only writer of limits.</summary>
/// <param name="MinThreads">Threads that stay.</param>
/// <param name="MaxThreads">Threads that may exist.</param>
/// <param name="AskedThreads">The minimum if the user has asked for it; 0 if it is a default.</param>
internal sealed record SizeRequest(int MinThreads, int MaxThreads, int AskedThreads)
{
    public SizeRequest(int minThreads, int maxThreads)
        : this(minThreads, maxThreads, minThreads)
    {
    }
}
