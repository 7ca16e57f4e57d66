using AdaptivePool.Tests.ModelChecking.Models;

namespace AdaptivePool.Tests.ModelChecking;

/// <summary>All programs over types of the pool.</summary>
internal static class Suite
{
    public static IReadOnlyList<NamedProgram> Programs { get; } =
    [
        .. WorkStealingQueuePrograms.All,
        .. PriorityLanesPrograms.All,
        .. ReadySetPrograms.All,
        .. IdleStackPrograms.All,
        .. ClassLimitPrograms.All,
        .. ParkingPrograms.All,
        .. WakePrograms.All,
        .. LeasePrograms.All,
        .. TicketPrograms.All,
        .. StatementPrograms.All,
        .. AsyncItemPrograms.All,
        .. GatePrograms.All,
        .. ShelfPrograms.All,
        .. UsePrograms.All,
    ];

    /// <summary>Programs over workers as they are, and who of them comes first; not part of the mutations.</summary>
    public static IReadOnlyList<NamedProgram> Workers { get; } =
    [
        .. WorkerPrograms.All,
        .. RootPrograms.All,
        .. SharePrograms.All,
        .. GroupPrograms.All,
        .. ResizePrograms.All,
        .. BlockPrograms.All,
    ];

    /// <summary>The same over the end, starter, monitors and statistics.</summary>
    public static IReadOnlyList<NamedProgram> Loops { get; } =
    [
        .. StopPrograms.All,
        .. StarterPrograms.All,
        .. EmergencyPrograms.All,
        .. DozePrograms.All,
        .. GuestPrograms.All,
        .. SizingPrograms.All,
        .. AuditPrograms.All,
        .. InterruptPrograms.All,
        .. DrainPrograms.All,
        .. EndPrograms.All,
        .. LimitPrograms.All,
        .. StatisticPrograms.All,
    ];

    /// <summary>All that are not part of the mutations.</summary>
    public static IReadOnlyList<NamedProgram> Whole { get; } = [.. Workers, .. Loops];

    public static NamedProgram Get(string name) => Programs.Concat(Whole).Single(p => p.Name == name);
}
