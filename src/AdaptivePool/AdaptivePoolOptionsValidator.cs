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
    /// <exception cref="ArgumentNullException"><paramref name="options"/> is null.</exception>
    public static List<OptionFailure> Failures(AdaptivePoolOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        List<OptionFailure> failures = OptionCheck.Failures(options);
        if (string.IsNullOrWhiteSpace(options.Name))
        {
            failures.Insert(0, OptionCheck.Failure(nameof(options.Name), options.Name, "any text that is not empty"));
        }

        if (options.Sizing is null)
        {
            string allowed = $"{nameof(PoolSizing.Adaptive)}, {nameof(PoolSizing.Fixed)} or {nameof(PoolSizing.Custom)}";
            failures.Add(OptionCheck.Failure(nameof(options.Sizing), null, allowed));
        }

        // Not MaxThreads, which bounds the size and may be changed while the pool runs.
        if (options.Sizing?.FixedThreads > MostThreads)
        {
            string allowed = $"{nameof(PoolSizing.Fixed)}(1) to {nameof(PoolSizing.Fixed)}({MostThreads})";
            failures.Add(OptionCheck.Failure(nameof(options.Sizing), options.Sizing, allowed));
        }

        if (options.ThreadGroups is { } groups && groups > MostGroups && groups <= MostGroupsAnywhere)
        {
            failures.Add(OptionCheck.Failure(nameof(options.ThreadGroups), groups, $"1 to {MostGroups} (twice the number of processors)"));
        }

        if (options.Oversubscribe is { } oversubscribe && options.Sizing is { } sizing && !ReferenceEquals(sizing, PoolSizing.Adaptive))
        {
            failures.Add(OptionCheck.Failure(nameof(options.Oversubscribe), oversubscribe, $"nothing where {nameof(options.Sizing)} is {sizing}"));
        }

        if (options.ThreadCreationThrottle is { } table
            && (table.Count == 0 || table.Any(static step => step.Key < 1 || step.Value < TimeSpan.Zero || step.Value > s_longestThrottle)))
        {
            string steps = string.Join(", ", table.Select(static step => $"{step.Key}={step.Value}"));
            failures.Add(OptionCheck.Failure(
                nameof(options.ThreadCreationThrottle), steps, $"one step at least, each from 1 thread or more on and of 0 to {s_longestThrottle}"));
        }

        if (options.DecisionLogFile is { } path && !OptionCheck.IsPath(path))
        {
            failures.Add(OptionCheck.Failure(nameof(options.DecisionLogFile), path, "the path of a file"));
        }

        failures.AddRange(OptionCheck.Within(nameof(options.HillClimbing), options.HillClimbing?.Failures() ?? []));
        return failures;
    }
}
