namespace AdaptivePool.Tests.ModelChecking;

/// <summary>What a location holds: a number or a reference.</summary>
internal readonly record struct Value(long Number, object? Reference);
