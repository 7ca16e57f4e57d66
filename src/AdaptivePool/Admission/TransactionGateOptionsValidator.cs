namespace AdaptivePool.Admission;

/// <summary>Checks <see cref="TransactionGateOptions"/>. Each message names the option, the value and what is allowed.</summary>
internal static class TransactionGateOptionsValidator
{
    private const int MostWeight = 1_000;
    private const string GroupsOnly = $"unless {nameof(TransactionGateOptions.GroupCount)} is 1 or more";

    /// <summary>Gets all errors in the options; empty when the options are valid.</summary>
    /// <param name="options">The options to check.</param>
    /// <exception cref="ArgumentNullException"><paramref name="options"/> is null.</exception>
    public static OptionFailure[] Failures(TransactionGateOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        int partitions = options.GroupWeights.Count;
        string? log = options.DecisionLogFile;
        bool steers = options.Adaptive && !options.AdaptiveMonitorOnly;
        bool isOutside = steers && options.MinLimit <= options.MaxLimit && options.PermitLimit > 0
            && (options.PermitLimit < options.MinLimit || options.PermitLimit > options.MaxLimit);
        return
        [
            .. OptionCheck.When(!OptionCheck.IsName(options.Name), nameof(options.Name), options.Name, OptionCheck.NameAllowed),
            .. OptionCheck.When(log is not null && !OptionCheck.IsPath(log), nameof(options.DecisionLogFile), log, "the path of a file"),
            .. OptionCheck.Failures(options),
            .. OptionCheck.When(isOutside, nameof(options.PermitLimit), options.PermitLimit,
                $"0 (begin low), or {options.MinLimit} (MinLimit) to {options.MaxLimit} (MaxLimit)"),
            .. OptionCheck.When(options.AdaptiveMonitorOnly && !options.Adaptive, nameof(options.AdaptiveMonitorOnly), true, "false, unless Adaptive is true"),
            .. OptionCheck.When(options.Fleet is not null && !steers, nameof(options.Fleet), options.Fleet?.GetType().Name,
                "null, unless Adaptive is true and AdaptiveMonitorOnly is false"),
            .. OptionCheck.Within(nameof(options.HillClimbing), HillClimbingController.Failures(options.HillClimbing)),
            .. OptionCheck.When(!options.BorrowsBetweenGroups && !options.IsDivided, nameof(options.BorrowsBetweenGroups), false, $"true, {GroupsOnly}"),
            .. OptionCheck.When(partitions > 0 && !options.IsDivided, nameof(options.GroupWeights), $"{partitions} partitions", $"none, {GroupsOnly}"),
            .. OptionCheck.When(partitions > TransactionGateOptions.MostGroups, nameof(options.GroupWeights), $"{partitions} partitions",
                $"0 to {TransactionGateOptions.MostGroups} partitions"),
            .. options.GroupWeights.Where(static pair => pair.Value is < 1 or > MostWeight)
                .Select(static pair => OptionCheck.Failure($"{nameof(TransactionGateOptions.GroupWeights)}[{pair.Key}]", pair.Value, $"1 to {MostWeight}")),
        ];
    }
}
