namespace AdaptivePool.Simulation.Cluster;

/// <summary>A load on a cluster, and what happens to its machines.</summary>
public sealed record ClusterScenario
{
    /// <summary>Its name.</summary>
    public required string Name { get; init; }

    /// <summary>What happens, in one line.</summary>
    public required string Description { get; init; }

    /// <summary>How long it lasts, in seconds.</summary>
    public required double Seconds { get; init; }

    /// <summary>The first seconds, which do not count.</summary>
    public double WarmUp { get; init; } = 2;

    /// <summary>The backends.</summary>
    public required IReadOnlyList<ClusterMachine> Machines { get; init; }

    /// <summary>Balancers, each of which gets an equal part of the requests.</summary>
    public int Balancers { get; init; } = 1;

    /// <summary>Requests per second in the second that begins at a time.</summary>
    public required Func<double, double> Rate { get; init; }

    /// <summary>When the load or the machines change, if the time until that is settled is wanted.</summary>
    public double? ChangesAt { get; init; }

    /// <summary>A second's requests come in this first part of it: 1 is smooth, 0.2 a batch.</summary>
    public double ArrivalSpread { get; init; } = 1;

    /// <summary>Draws the CPU time of a request, in seconds, beyond what threads cost.</summary>
    public required Func<Random, double> Cpu { get; init; }

    /// <summary>Time that a request sleeps after that, in seconds.</summary>
    public double Sleep { get; init; }

    /// <summary>One way from balancer to backend, in seconds.</summary>
    public double Network { get; init; } = 0.0002;

    /// <summary>Factor on a machine's CPU times at a time.</summary>
    public Func<int, double, double> Slowness { get; init; } = static (_, _) => 1;

    /// <summary>Whether a machine runs at a time. One that ends loses what it has.</summary>
    public Func<int, double, bool> IsUp { get; init; } = static (_, _) => true;

    /// <summary>Whether balancers are told to send a machine nothing new.</summary>
    public Func<int, double, bool> IsDrained { get; init; } = static (_, _) => false;
}
