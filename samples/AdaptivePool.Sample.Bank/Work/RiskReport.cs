namespace AdaptivePool.Sample.Bank.Work;

/// <summary>Result of a simulation.</summary>
/// <param name="Paths">Random walks simulated.</param>
/// <param name="Ruined">How many of them touched zero.</param>
public sealed record RiskReport(int Paths, int Ruined);
