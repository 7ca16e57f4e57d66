namespace AdaptivePool.Sample.Bank.Compare;

/// <summary>One right answer.</summary>
/// <param name="At">When it came, since the start of the cell.</param>
/// <param name="Latency">How long after its request.</param>
internal readonly record struct Answer(TimeSpan At, TimeSpan Latency);
