using AdaptivePool.Scenarios.Pools;

namespace AdaptivePool.Scenarios.Scenarios.Bursts;

/// <summary>A kind of request.</summary>
/// <param name="Target">Where it goes.</param>
/// <param name="Work">What an item does there; nothing where a server does it and the item only tells its end.</param>
public sealed record BurstWork(ComparedClass Target, Action Work);
