namespace AdaptivePool.Control;

/// <summary>A size to try.</summary>
/// <param name="Size">The size, in threads; the present size when there is no other.</param>
/// <param name="Improvement">Improvement that can be expected from knowing more about the size, in logarithm of throughput.</param>
internal readonly record struct Probe(int Size, double Improvement);
