namespace AdaptivePool.Groups;

/// <summary>A NUMA node.</summary>
/// <param name="Number">The system's number.</param>
/// <param name="Processors">Its processors that this process may use.</param>
internal sealed record CpuNode(int Number, IReadOnlyList<int> Processors);
