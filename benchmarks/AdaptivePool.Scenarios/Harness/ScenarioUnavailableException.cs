namespace AdaptivePool.Scenarios.Harness;

/// <summary>A scenario cannot run on this machine; the message says what to install.</summary>
public sealed class ScenarioUnavailableException(string message) : Exception(message);
