namespace AdaptivePool.Sizing;

/// <summary>A user's wish for new bounds. Passed to the sizing thread, the only writer of limits.</summary>
internal sealed record SizeRequest(int MinThreads, int MaxThreads);
