namespace AdaptivePool.Scenarios.Harness;

/// <summary>The command line asks for something that does not exist; the message says what does.</summary>
public sealed class UsageException(string message) : Exception(message);
