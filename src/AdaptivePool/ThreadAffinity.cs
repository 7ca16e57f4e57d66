namespace AdaptivePool;

/// <summary>Where the threads of a pool may run; see <see cref="AdaptivePoolOptions.Affinity"/>.</summary>
public enum ThreadAffinity
{
    /// <summary>Anywhere.</summary>
    None,

    /// <summary>On the processors of the NUMA node of their group, which are handed out in turn: group 3 of two nodes is on the second.</summary>
    Node,
}
