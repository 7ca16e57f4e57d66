namespace AdaptivePool.Simulation.Fleet;

/// <summary>Instances before one database, each with a gate and clients in a closed loop.</summary>
public sealed record FleetScenario
{
    /// <summary>Instances, those that join later included.</summary>
    public required int Instances { get; init; }

    /// <summary>Clients of each instance that is there from the beginning.</summary>
    public int Clients { get; init; } = 64;

    /// <summary>Virtual seconds.</summary>
    public double Seconds { get; init; } = 40;

    /// <summary>The database.</summary>
    public FleetServer Server { get; init; } = new();

    /// <summary>What happens. An instance that joins is not there before.</summary>
    public IReadOnlyList<FleetChange> Changes { get; init; } = [];

    /// <summary>Whether an instance is there at a time, with clients.</summary>
    public bool IsBusy(int instance, double at)
    {
        bool busy = !Changes.Any(c => c.Instance == instance && c.Kind == FleetChangeKind.Joins);
        foreach (FleetChange change in Changes.Where(c => c.Instance == instance && c.At <= at
            && c.Kind is not (FleetChangeKind.Blinds or FleetChangeKind.Opens)))
        {
            busy = change.Clients > 0 && change.Kind is FleetChangeKind.Joins or FleetChangeKind.Clients;
        }

        return busy;
    }
}
