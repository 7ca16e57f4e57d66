using System.Globalization;
using System.Threading.RateLimiting;
using AdaptivePool.Control;

namespace AdaptivePool.Admission;

/// <summary>Checks <see cref="TransactionGateOptions"/>. Each message names the option, the value and the allowed range.</summary>
public static class TransactionGateOptionsValidator
{
    internal const int MostTransactions = 1_000_000;
    private const int MostGroups = 1_024;
    private const int MostWeight = 1_000;
    private static readonly TimeSpan s_shortest = TimeSpan.FromMilliseconds(1);
    private static readonly TimeSpan s_longest = TimeSpan.FromHours(24);
    private static readonly TimeSpan s_longestInterval = TimeSpan.FromHours(1);

    /// <summary>All that is wrong with the options; empty when they are good.</summary>
    /// <param name="options">The options to check.</param>
    /// <exception cref="ArgumentNullException"><paramref name="options"/> is null.</exception>
    public static IReadOnlyList<string> Validate(TransactionGateOptions options) => [.. Failures(options).Select(static failure => failure.Message)];

    /// <summary>Throws for the first thing that is wrong.</summary>
    /// <param name="options">The options to check.</param>
    /// <exception cref="ArgumentNullException"><paramref name="options"/> is null.</exception>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range; the message names option, value and range.</exception>
    public static void ThrowIfInvalid(TransactionGateOptions options)
    {
        foreach ((string option, object? value, string message) in Failures(options))
        {
            throw new ArgumentOutOfRangeException(option, value, message);
        }
    }

    internal static void ThrowIfInvalidLimit(int permitLimit)
    {
        if (permitLimit is < 0 or > MostTransactions)
        {
            throw new ArgumentOutOfRangeException(nameof(TransactionGateOptions.PermitLimit), permitLimit, Limit(permitLimit).Message);
        }
    }

    private static IEnumerable<(string Option, object? Value, string Message)> Failures(TransactionGateOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        return All(options);
    }

    private static IEnumerable<(string Option, object? Value, string Message)> All(TransactionGateOptions options)
    {
        if (string.IsNullOrWhiteSpace(options.Name))
        {
            yield return Failure(nameof(options.Name), options.Name, "any text that is not empty");
        }

        if (options.PermitLimit is < 0 or > MostTransactions)
        {
            yield return Limit(options.PermitLimit);
        }

        if (options.QueueLimit is < 0 or > MostTransactions)
        {
            yield return Failure(nameof(options.QueueLimit), options.QueueLimit, $"0 to {MostTransactions}");
        }

        foreach ((string, object?, string) failure in OfAdaptive(options))
        {
            yield return failure;
        }

        if (options.GroupCount is < 1 or > MostGroups)
        {
            yield return Failure(nameof(options.GroupCount), options.GroupCount, $"1 to {MostGroups}");
        }

        foreach ((string Option, object? Value, string Message) failure in Weights(options))
        {
            yield return failure;
        }

        if (!Enum.IsDefined(options.QueueProcessingOrder))
        {
            yield return Failure(nameof(options.QueueProcessingOrder), options.QueueProcessingOrder, string.Join(", ", Enum.GetNames<QueueProcessingOrder>()));
        }

        if (!Enum.IsDefined(options.Partitioning))
        {
            yield return Failure(nameof(options.Partitioning), options.Partitioning, string.Join(", ", Enum.GetNames<GatePartitioning>()));
        }

        (string Option, TimeSpan? Value, TimeSpan Longest)[] times =
        [
            (nameof(options.QueueTimeout), options.QueueTimeout, s_longest),
            (nameof(options.KickUpAfter), options.KickUpAfter, s_longest),
            (nameof(options.OverloadDelay), options.OverloadDelay, s_longest),
            (nameof(options.OverloadInterval), options.OverloadInterval, s_longestInterval),
            (nameof(options.StallAfter), options.StallAfter, s_longest),
        ];
        foreach ((string option, TimeSpan? value, TimeSpan longest) in times)
        {
            if (value < s_shortest || value > longest)
            {
                yield return Failure(option, value, $"{s_shortest} to {longest}");
            }
        }
    }

    private static IEnumerable<(string Option, object? Value, string Message)> OfAdaptive(TransactionGateOptions options)
    {
        if (options.MinLimit is < 1 or > MostTransactions)
        {
            yield return Failure(nameof(options.MinLimit), options.MinLimit, $"1 to {MostTransactions}");
        }
        else if (options.MaxLimit < options.MinLimit || options.MaxLimit > MostTransactions)
        {
            yield return Failure(nameof(options.MaxLimit), options.MaxLimit, $"MinLimit ({options.MinLimit}) to {MostTransactions}");
        }
        else if (options.Adaptive && !options.AdaptiveMonitorOnly && options.PermitLimit > 0 && (options.PermitLimit < options.MinLimit || options.PermitLimit > options.MaxLimit))
        {
            yield return Failure(nameof(options.PermitLimit), options.PermitLimit, $"0 (begin low), or MinLimit ({options.MinLimit}) to MaxLimit ({options.MaxLimit})");
        }

        if (options.AdaptiveMonitorOnly && !options.Adaptive)
        {
            yield return Failure(nameof(options.AdaptiveMonitorOnly), options.AdaptiveMonitorOnly, "false, unless Adaptive is true");
        }

        if (options.DecisionLogFile is { } path && string.IsNullOrWhiteSpace(path))
        {
            yield return Failure(nameof(options.DecisionLogFile), options.DecisionLogFile, "any text that is not empty");
        }

        if (Wrong(options.HillClimbing) is { } wrong)
        {
            yield return (nameof(options.HillClimbing), options.HillClimbing, $"HillClimbing: {wrong}");
        }
    }

    private static string? Wrong(HillClimbingOptions? search)
    {
        try
        {
            search?.Validate();
            return null;
        }
        catch (ArgumentException exception)
        {
            return exception.Message;
        }
    }

    private static IEnumerable<(string Option, object? Value, string Message)> Weights(TransactionGateOptions options)
    {
        if (options.GroupWeights.Count > 0 && options.Partitioning != GatePartitioning.PerGroup)
        {
            yield return Failure(nameof(options.GroupWeights), $"{options.GroupWeights.Count} partitions", $"none, unless {nameof(options.Partitioning)} is {nameof(GatePartitioning.PerGroup)}");
        }

        if (options.GroupWeights.Count > MostGroups)
        {
            yield return Failure(nameof(options.GroupWeights), $"{options.GroupWeights.Count} partitions", $"0 to {MostGroups} partitions");
        }

        foreach ((string partition, int weight) in options.GroupWeights.Where(static pair => pair.Value is < 1 or > MostWeight))
        {
            yield return Failure($"{nameof(options.GroupWeights)}[{partition}]", weight, $"1 to {MostWeight}");
        }
    }

    private static (string Option, object? Value, string Message) Limit(int value) =>
        Failure(nameof(TransactionGateOptions.PermitLimit), value, $"0 (no limit) to {MostTransactions}");

    private static (string Option, object? Value, string Message) Failure(string option, object? value, string range) =>
        (option, value, string.Create(CultureInfo.InvariantCulture, $"{option} is '{value}'; allowed: {range}."));
}
