namespace AdaptivePool.Sizing;

/// <summary>What one settled generation says about a size.</summary>
/// <param name="Rate">Completions per second.</param>
/// <param name="Service">Mean service time in seconds; NaN when nothing was timed.</param>
/// <param name="Used">Mean number of busy workers.</param>
/// <param name="DemandLimited">No work waited for a good part of the time: the rate is the demand, not what the size can do.</param>
/// <param name="IsCrowded">The class waits for a server that others fill (<see cref="GenerationWindow.IsCrowded"/>).</param>
internal readonly record struct GenerationResult(double Rate, double Service, double Used, bool DemandLimited, bool IsCrowded);
