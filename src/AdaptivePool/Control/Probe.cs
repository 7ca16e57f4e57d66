namespace AdaptivePool.Control;

/// <summary>A size to try.</summary>
/// <param name="Size">The size, in threads; the present one when there is no other.</param>
/// <param name="Improvement">Improvement to be expected from knowing more of it, in logarithm of throughput.</param>
internal readonly record struct Probe(int Size, double Improvement);
