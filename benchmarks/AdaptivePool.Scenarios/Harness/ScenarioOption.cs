namespace AdaptivePool.Scenarios.Harness;

/// <summary>An option on the command line that one scenario understands.</summary>
/// <param name="Name">Name, with its dashes.</param>
/// <param name="Description">What it does, in one line.</param>
public sealed record ScenarioOption(string Name, string Description);
