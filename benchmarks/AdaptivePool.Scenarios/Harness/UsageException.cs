namespace AdaptivePool.Scenarios.Harness;

/// <summary>The command line has an unknown name or an invalid value. The message lists what is allowed.</summary>
public sealed class UsageException(string message) : Exception(message);
