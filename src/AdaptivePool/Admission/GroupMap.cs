namespace AdaptivePool.Admission;

/// <summary>Which group of a gate a partition belongs to: those with a weight have a group of their own, all others share the common ones.</summary>
internal sealed class GroupMap
{
    private readonly Dictionary<string, int> _named = new(StringComparer.Ordinal);

    public GroupMap(TransactionGateOptions options)
    {
        Common = Math.Max(1, options.GroupCount);
        List<int> weights = [.. Enumerable.Repeat(1, Common)];
        foreach ((string partition, int weight) in options.GroupWeights)
        {
            _named.Add(partition, weights.Count);
            weights.Add(weight);
        }

        Weights = [.. weights];
    }

    /// <summary>Groups that partitions without a weight share; the first ones.</summary>
    public int Common { get; }

    public int Count => Weights.Length;

    /// <summary>Weight of each group.</summary>
    public int[] Weights { get; }

    public int Of(string partition) =>
        _named.TryGetValue(partition, out int group) ? group : (int)((uint)partition.GetHashCode(StringComparison.Ordinal) % (uint)Common);
}
