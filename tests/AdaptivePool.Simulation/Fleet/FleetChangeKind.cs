namespace AdaptivePool.Simulation.Fleet;

/// <summary>What happens to an instance.</summary>
public enum FleetChangeKind
{
    /// <summary>It has another number of clients.</summary>
    Clients,

    /// <summary>It is started.</summary>
    Joins,

    /// <summary>It ends, and the server sees that.</summary>
    Leaves,

    /// <summary>It ends, and what it last told stays where the others see it: its machine is gone, and the server has not noticed.</summary>
    Dies,

    /// <summary>Nobody sees the others any more.</summary>
    Blinds,

    /// <summary>All see each other again.</summary>
    Opens,
}
