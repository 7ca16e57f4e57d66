namespace AdaptivePool.Dispatch.Items;

/// <summary>What a function gives that gives nothing.</summary>
internal readonly struct NoResult;
