namespace AdaptivePool.Admission;

/// <summary>Checks <see cref="TransactionGateOptions"/>. Each message names the option, the value and what is allowed.</summary>
internal static class TransactionGateOptionsValidator
{
    private const int MostWeight = 1_000;

    /// <summary>All that is wrong with the options; empty when they are good.</summary>
    /// <param name="options">The options to check.</param>
    /// <exception cref="ArgumentNullException"><paramref name="options"/> is null.</exception>
    public static OptionFailure[] Failures(TransactionGateOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        return
        [
            .. Texts(options),
            .. OptionCheck.Failures(options),
            .. OfAdaptive(options),
            .. OptionCheck.Within(nameof(options.HillClimbing), options.HillClimbing?.Failures() ?? []),
            .. Groups(options),
        ];
    }

    private static IEnumerable<OptionFailure> Texts(TransactionGateOptions options)
    {
        if (string.IsNullOrWhiteSpace(options.Name))
        {
            yield return OptionCheck.Failure(nameof(options.Name), options.Name, "any text that is not empty");
        }

        if (options.DecisionLogFile is { } path && !OptionCheck.IsPath(path))
        {
            yield return OptionCheck.Failure(nameof(options.DecisionLogFile), path, "the path of a file");
        }
    }

    private static IEnumerable<OptionFailure> OfAdaptive(TransactionGateOptions options)
    {
        bool begins = options.Adaptive && !options.AdaptiveMonitorOnly && options.PermitLimit > 0 && options.MinLimit <= options.MaxLimit;
        if (begins && (options.PermitLimit < options.MinLimit || options.PermitLimit > options.MaxLimit))
        {
            string allowed = $"0 (begin low), or {options.MinLimit} (MinLimit) to {options.MaxLimit} (MaxLimit)";
            yield return OptionCheck.Failure(nameof(options.PermitLimit), options.PermitLimit, allowed);
        }

        if (options.AdaptiveMonitorOnly && !options.Adaptive)
        {
            yield return OptionCheck.Failure(nameof(options.AdaptiveMonitorOnly), options.AdaptiveMonitorOnly, "false, unless Adaptive is true");
        }

        if (options.Fleet is { } fleet && (!options.Adaptive || options.AdaptiveMonitorOnly))
        {
            yield return OptionCheck.Failure(nameof(options.Fleet), fleet.GetType().Name, "null, unless Adaptive is true and AdaptiveMonitorOnly is false");
        }
    }

    private static IEnumerable<OptionFailure> Groups(TransactionGateOptions options)
    {
        if (!options.BorrowsBetweenGroups && !options.IsDivided)
        {
            yield return OptionCheck.Failure(
                nameof(options.BorrowsBetweenGroups), options.BorrowsBetweenGroups, $"true, unless {nameof(options.GroupCount)} is 1 or more");
        }

        const string Option = nameof(options.GroupWeights);
        int count = options.GroupWeights.Count;
        if (count > 0 && !options.IsDivided)
        {
            yield return OptionCheck.Failure(Option, $"{count} partitions", $"none, unless {nameof(options.GroupCount)} is 1 or more");
        }

        if (count > TransactionGateOptions.MostGroups)
        {
            yield return OptionCheck.Failure(Option, $"{count} partitions", $"0 to {TransactionGateOptions.MostGroups} partitions");
        }

        foreach ((string partition, int weight) in options.GroupWeights.Where(static pair => pair.Value is < 1 or > MostWeight))
        {
            yield return OptionCheck.Failure($"{Option}[{partition}]", weight, $"1 to {MostWeight}");
        }
    }
}
