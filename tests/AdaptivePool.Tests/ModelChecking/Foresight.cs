namespace AdaptivePool.Tests.ModelChecking;

/// <summary>A read that was answered with a write which another thread has yet to make.</summary>
internal sealed record Foresight(Location Location, Value Value);
