namespace AdaptivePool.Sizing;

/// <summary>Items that have ended, cumulative.</summary>
/// <param name="OfClass">Of the class that is looked at.</param>
/// <param name="OfOthers">Of the other root classes.</param>
/// <param name="InFlight">Work in flight.</param>
internal readonly record struct PoolProgress(long OfClass, long OfOthers, long InFlight);
