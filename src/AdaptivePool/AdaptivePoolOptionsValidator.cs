namespace AdaptivePool;

/// <summary>Checks <see cref="AdaptivePoolOptions"/>. Each message names the option, the value and what is allowed.</summary>
internal static class AdaptivePoolOptionsValidator
{
    internal const int MostThreads = AdaptivePoolOptions.DefaultMaxThreads;
    internal const int MostClasses = 10_000;
    internal const int MostEmergencyThreads = 1_000;

    /// <summary>That of Percona Server's thread_pool_oversubscribe.</summary>
    internal const int MostOversubscribed = 1_000;

    /// <summary>Twice the processors of the largest machines.</summary>
    internal const int MostGroupsAnywhere = 4_096;

    private static readonly TimeSpan s_longestThrottle = TimeSpan.FromSeconds(60);

    /// <summary>Groups of threads that a pool may have here: with more a group would have less than half a processor.</summary>
    internal static int MostGroups => Math.Min(2 * Environment.ProcessorCount, MostGroupsAnywhere);

    /// <summary>All that is wrong with the options; empty when they are good.</summary>
    /// <param name="options">The options to check.</param>
    public static List<OptionFailure> Failures(AdaptivePoolOptions options)
    {
        List<OptionFailure> failures = [];
        RefuseIf(string.IsNullOrWhiteSpace(options.Name), nameof(options.Name), options.Name, "any text that is not empty");
        failures.AddRange(OptionCheck.Failures(options));
        string byName = $"{nameof(PoolSizing.Adaptive)}, {nameof(PoolSizing.Fixed)} or {nameof(PoolSizing.Custom)}";
        RefuseIf(options.Sizing is null, nameof(options.Sizing), null, byName);

        // Not MaxThreads, which bounds the size and may be changed while the pool runs.
        string sizes = $"{nameof(PoolSizing.Fixed)}(1) to {nameof(PoolSizing.Fixed)}({MostThreads})";
        RefuseIf(options.Sizing?.FixedThreads > MostThreads, nameof(options.Sizing), options.Sizing, sizes);
        bool hasTooManyHere = options.ThreadGroups > MostGroups && options.ThreadGroups <= MostGroupsAnywhere;
        RefuseIf(hasTooManyHere, nameof(options.ThreadGroups), options.ThreadGroups, $"1 to {MostGroups} (twice the number of processors)");
        bool isSized = options.Sizing is { } sizing && !ReferenceEquals(sizing, PoolSizing.Adaptive);
        RefuseIf(
            options.Oversubscribe is not null && isSized,
            nameof(options.Oversubscribe), options.Oversubscribe, $"nothing where {nameof(options.Sizing)} is {options.Sizing}");
        if (options.ThreadCreationThrottle is { } table)
        {
            RefuseIf(
                table.Count == 0 || table.Any(static step => step.Key < 1 || step.Value < TimeSpan.Zero || step.Value > s_longestThrottle),
                nameof(options.ThreadCreationThrottle),
                string.Join(", ", table.Select(static step => $"{step.Key}={step.Value}")),
                $"one step at least, each from 1 thread or more on and of 0 to {s_longestThrottle}");
        }

        bool isNoFile = options.DecisionLogFile is { } path && !OptionCheck.IsPath(path);
        RefuseIf(isNoFile, nameof(options.DecisionLogFile), options.DecisionLogFile, "the path of a file");
        failures.AddRange(OptionCheck.Within(nameof(options.HillClimbing), options.HillClimbing?.Failures() ?? []));
        return failures;

        void RefuseIf(bool isWrong, string option, object? value, string allowed)
        {
            if (isWrong)
            {
                failures.Add(OptionCheck.Failure(option, value, allowed));
            }
        }
    }
}
