namespace AdaptivePool;

/// <summary>Checks <see cref="AdaptivePoolOptions"/>. Each message names the option, the value and what is allowed.</summary>
internal static class AdaptivePoolOptionsValidator
{
    internal const int MostThreads = AdaptivePoolOptions.DefaultMaxThreads;
    internal const int MostClasses = 10_000;
    internal const int MostEmergencyThreads = 1_000;

    /// <summary>The maximum of Percona Server's thread_pool_oversubscribe.</summary>
    internal const int MostOversubscribed = 1_000;

    /// <summary>Twice the processors of the largest machines.</summary>
    internal const int MostGroupsAnywhere = 4_096;

    /// <summary>Groups of threads that a pool may have on this machine. With more groups, a group would have less than half a processor.</summary>
    internal static int MostGroups => Math.Min(2 * Environment.ProcessorCount, MostGroupsAnywhere);

    /// <summary>All errors in the options; empty when there are none.</summary>
    /// <param name="options">The options to check.</param>
    public static OptionFailure[] Failures(AdaptivePoolOptions options)
    {
        // Not MaxThreads, which bounds the size and may be changed while the pool runs.
        string sizes = $"{nameof(PoolSizing.Fixed)}(1) to {nameof(PoolSizing.Fixed)}({MostThreads})";
        string byName = $"{nameof(PoolSizing.Adaptive)}, {nameof(PoolSizing.Fixed)} or {nameof(PoolSizing.Custom)}";
        bool hasTooManyHere = options.ThreadGroups > MostGroups && options.ThreadGroups <= MostGroupsAnywhere;
        bool isSized = options.Sizing is { } sizing && !ReferenceEquals(sizing, PoolSizing.Adaptive);
        string? log = options.DecisionLogFile;
        return
        [
            .. OptionCheck.When(!OptionCheck.IsName(options.Name), nameof(options.Name), options.Name, OptionCheck.NameAllowed),
            .. OptionCheck.Failures(options),
            .. OptionCheck.When(options.Sizing is null, nameof(options.Sizing), null, byName),
            .. OptionCheck.When(options.Sizing?.FixedThreads > MostThreads, nameof(options.Sizing), options.Sizing, sizes),
            .. OptionCheck.When(
                hasTooManyHere, nameof(options.ThreadGroups), options.ThreadGroups, $"1 to {MostGroups} (twice the number of processors)"),
            .. OptionCheck.When(
                options.Oversubscribe is not null && isSized,
                nameof(options.Oversubscribe), options.Oversubscribe, $"no value while {nameof(options.Sizing)} is {options.Sizing}"),
            .. OptionCheck.When(log is not null && !OptionCheck.IsPath(log), nameof(options.DecisionLogFile), log, "the path of a file"),
            .. OptionCheck.Within(nameof(options.HillClimbing), HillClimbingController.Failures(options.HillClimbing)),
        ];
    }
}
