namespace AdaptivePool.Simulation.Nodes;

/// <summary>A load with each number of groups.</summary>
public sealed class NodeComparison
{
    private readonly double[] _perSecond;

    /// <summary>Runs all numbers of groups.</summary>
    /// <param name="machine">The machine.</param>
    /// <param name="load">The load.</param>
    /// <param name="isBound">See <see cref="NodeSimulation.PerSecond"/>.</param>
    /// <param name="items">See <see cref="NodeSimulation.PerSecond"/>.</param>
    /// <param name="seed">See <see cref="NodeSimulation.PerSecond"/>.</param>
    public NodeComparison(NodeMachine machine, NodeLoad load, bool isBound, int items, int seed)
    {
        ArgumentNullException.ThrowIfNull(machine);
        Counts = [.. Enumerable.Range(0, 32).Select(static power => 1 << power).TakeWhile(count => count <= 2 * machine.Processors)];
        _perSecond = [.. Counts.Select(count => NodeSimulation.PerSecond(machine, load, count, isBound, items, seed))];
        Best = _perSecond.Max();
        DefaultCount = machine.Topology.Groups;
    }

    /// <summary>The numbers of groups: 1, 2, 4 and so on, up to the most that are allowed.</summary>
    public IReadOnlyList<int> Counts { get; }

    /// <summary>The number that a pool takes when nobody says another one.</summary>
    public int DefaultCount { get; }

    /// <summary>Items in a second with the best number.</summary>
    public double Best { get; }

    /// <summary>The best number.</summary>
    public int BestCount => Counts[Array.IndexOf(_perSecond, Best)];

    /// <summary>Items in a second with the default number, as a share of the best.</summary>
    public double DefaultShare => ShareOf(DefaultCount);

    /// <summary>Items in a second with a number of groups, as a share of the best.</summary>
    /// <param name="count">One of <see cref="Counts"/>.</param>
    public double ShareOf(int count) => _perSecond[Counts.ToList().IndexOf(count)] / Best;
}
