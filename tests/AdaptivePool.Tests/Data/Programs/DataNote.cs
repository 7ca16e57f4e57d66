namespace AdaptivePool.Tests.Data.Programs;

/// <summary>What an application has seen of a step, and what the provider has.</summary>
/// <param name="Step">The step.</param>
/// <param name="Seen">What it gave or threw, and the state of all objects afterwards.</param>
/// <param name="Calls">The calls of the provider.</param>
internal sealed record DataNote(string Step, string Seen, IReadOnlyList<string> Calls);
