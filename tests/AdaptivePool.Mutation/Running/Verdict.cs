namespace AdaptivePool.Mutation.Running;

/// <summary>What became of a mutant.</summary>
/// <param name="Kind">How it ended.</param>
/// <param name="Tests">Test cases that were run against it.</param>
/// <param name="Killer">The case that failed or hung.</param>
internal sealed record Verdict(VerdictKind Kind, int Tests, string Killer);
