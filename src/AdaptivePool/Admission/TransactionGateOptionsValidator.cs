using System.Globalization;

namespace AdaptivePool.Admission;

/// <summary>Checks <see cref="TransactionGateOptions"/>. Each message names the option, the value and the allowed range.</summary>
public static class TransactionGateOptionsValidator
{
    internal const int MostTransactions = 1_000_000;
    private const int MostGroups = 1_024;
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

    internal static void ThrowIfInvalidLimit(int maxTransactions)
    {
        if (maxTransactions is < 0 or > MostTransactions)
        {
            throw new ArgumentOutOfRangeException(nameof(TransactionGateOptions.MaxTransactions), maxTransactions, Limit(maxTransactions).Message);
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

        if (options.MaxTransactions is < 0 or > MostTransactions)
        {
            yield return Limit(options.MaxTransactions);
        }

        if (options.QueueLimit is < 0 or > MostTransactions)
        {
            yield return Failure(nameof(options.QueueLimit), options.QueueLimit, $"0 to {MostTransactions}");
        }

        if (options.GroupCount is < 1 or > MostGroups)
        {
            yield return Failure(nameof(options.GroupCount), options.GroupCount, $"1 to {MostGroups}");
        }

        if (!Enum.IsDefined(options.Order))
        {
            yield return Failure(nameof(options.Order), options.Order, string.Join(", ", Enum.GetNames<QueueOrder>()));
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

    private static (string Option, object? Value, string Message) Limit(int value) =>
        Failure(nameof(TransactionGateOptions.MaxTransactions), value, $"0 (no limit) to {MostTransactions}");

    private static (string Option, object? Value, string Message) Failure(string option, object? value, string range) =>
        (option, value, string.Create(CultureInfo.InvariantCulture, $"{option} is '{value}'; allowed: {range}."));
}
