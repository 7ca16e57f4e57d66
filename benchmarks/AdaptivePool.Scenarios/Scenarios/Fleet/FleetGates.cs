using System.Data.Common;
using System.Globalization;
using AdaptivePool.Admission;
using AdaptivePool.Data;
using AdaptivePool.Scenarios.Harness;

namespace AdaptivePool.Scenarios.Scenarios.Fleet;

/// <summary>The gates that are compared.</summary>
public static class FleetGates
{
    /// <summary>Adaptive gates that see each other.</summary>
    public const string Adaptive = "adaptive";

    /// <summary>Adaptive gates that know of no others.</summary>
    public const string Alone = "adaptive-alone";

    /// <summary>No gate.</summary>
    public const string None = "none";

    private const string ByHand = "hand-";

    /// <summary>Creates the gate of one instance.</summary>
    /// <param name="pool">Name of what is compared.</param>
    /// <param name="instances">Number of instances.</param>
    /// <param name="source">The database.</param>
    /// <returns>The gate; <see langword="null"/> for none.</returns>
    public static TransactionGate? Create(string pool, int instances, DbDataSource source) => pool switch
    {
        None => null,
        Adaptive => new TransactionGate(new TransactionGateOptions { Name = "bank", Adaptive = true, Fleet = new PostgreSqlGateFleet(source) }),
        Alone => new TransactionGate(new TransactionGateOptions { Name = "bank", Adaptive = true }),
        _ => new TransactionGate(new TransactionGateOptions { Name = "bank", PermitLimit = Math.Max(1, LimitOf(pool) / instances) }),
    };

    /// <summary>The limit of all together that was set by hand; zero for others.</summary>
    public static int LimitOf(string pool) =>
        pool.StartsWith(ByHand, StringComparison.Ordinal)
            && int.TryParse(pool.AsSpan(ByHand.Length), NumberStyles.None, CultureInfo.InvariantCulture, out int limit)
            ? limit : 0;

    /// <summary>Refuses what is not known.</summary>
    /// <exception cref="UsageException">It is not.</exception>
    public static void Check(string pool)
    {
        if (pool is not (Adaptive or Alone or None) && LimitOf(pool) is < 1 or > 1_000)
        {
            throw new UsageException($"'fleet' has no pool '{pool}'. Pools: {Adaptive}, {Alone}, {ByHand}N (N permits in all, 1 to 1000), {None}.");
        }
    }
}
