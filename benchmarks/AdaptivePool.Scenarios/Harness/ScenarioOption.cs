namespace AdaptivePool.Scenarios.Harness;

/// <summary>A command line option of one scenario.</summary>
/// <param name="Name">Name, with its dashes.</param>
/// <param name="Description">What it does, in one line.</param>
public sealed record ScenarioOption(string Name, string Description);
