using AdaptivePool.Tests.ModelChecking.Models;

namespace AdaptivePool.Tests.ModelChecking;

/// <summary>All programs over types of the pool.</summary>
internal static class Suite
{
    public static IReadOnlyList<NamedProgram> Programs { get; } =
    [
        .. WorkStealingQueuePrograms.All,
        .. FairRingPrograms.All,
        .. PriorityLanesPrograms.All,
        .. IdleStackPrograms.All,
        .. ClassLimitPrograms.All,
        .. ParkingPrograms.All,
        .. WakePrograms.All,
    ];

    public static NamedProgram Get(string name) => Programs.Single(p => p.Name == name);
}
