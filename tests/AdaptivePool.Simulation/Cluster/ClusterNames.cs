namespace AdaptivePool.Simulation.Cluster;

/// <summary>Names of things that are numbered here and named elsewhere.</summary>
internal static class ClusterNames
{
    private static readonly string[] s_balancers = [.. Enumerable.Range(0, 256).Select(i => $"balancer{i}")];

    public static string Balancer(int index) => s_balancers[index];
}
