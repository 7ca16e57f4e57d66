using System.Globalization;
using System.Threading.RateLimiting;
using AdaptivePool.Admission;

namespace AdaptivePool.Hosting.Gates;

/// <summary>The keys of a gate's section. Ranges are checked by <see cref="TransactionGateOptionsValidator"/>.</summary>
internal static class GateSettings
{
    /// <summary>The one key that is a section of its own.</summary>
    public const string Weights = nameof(TransactionGateOptions.GroupWeights);

    public static IReadOnlyList<GateSetting> All { get; } =
    [
        Integer(nameof(TransactionGateOptions.PermitLimit), static (o, v) => o.PermitLimit = v),
        Truth(nameof(TransactionGateOptions.Adaptive), static (o, v) => o.Adaptive = v),
        Truth(nameof(TransactionGateOptions.AdaptiveMonitorOnly), static (o, v) => o.AdaptiveMonitorOnly = v),
        Integer(nameof(TransactionGateOptions.MinLimit), static (o, v) => o.MinLimit = v),
        Integer(nameof(TransactionGateOptions.MaxLimit), static (o, v) => o.MaxLimit = v),
        Text(nameof(TransactionGateOptions.DecisionLogFile), static (o, v) => o.DecisionLogFile = v),
        Integer(nameof(TransactionGateOptions.QueueLimit), static (o, v) => o.QueueLimit = v),
        Time(nameof(TransactionGateOptions.QueueTimeout), static (o, v) => o.QueueTimeout = v),
        Name<QueueProcessingOrder>(nameof(TransactionGateOptions.QueueProcessingOrder), static (o, v) => o.QueueProcessingOrder = v),
        Truth(nameof(TransactionGateOptions.NewestFirstUnderOverload), static (o, v) => o.NewestFirstUnderOverload = v),
        Time(nameof(TransactionGateOptions.KickUpAfter), static (o, v) => o.KickUpAfter = v),
        Time(nameof(TransactionGateOptions.OverloadDelay), static (o, v) => o.OverloadDelay = v),
        Time(nameof(TransactionGateOptions.OverloadInterval), static (o, v) => o.OverloadInterval = v),
        Time(nameof(TransactionGateOptions.StallAfter), static (o, v) => o.StallAfter = v),
        Name<GatePartitioning>(nameof(TransactionGateOptions.Partitioning), static (o, v) => o.Partitioning = v),
        Integer(nameof(TransactionGateOptions.GroupCount), static (o, v) => o.GroupCount = v),
        Truth(nameof(TransactionGateOptions.BorrowsBetweenGroups), static (o, v) => o.BorrowsBetweenGroups = v),
        Truth(nameof(TransactionGateOptions.FlowsWithContext), static (o, v) => o.FlowsWithContext = v),
    ];

    /// <summary>Puts the weight of a partition into the options; false when it is no number.</summary>
    public static bool TryReadWeight(TransactionGateOptions options, string partition, string? text) =>
        Assign(int.TryParse(text, NumberStyles.Integer, CultureInfo.InvariantCulture, out var value), options, value, (o, v) => o.GroupWeights[partition] = v);

    private static GateSetting Integer(string key, Action<TransactionGateOptions, int> assign) =>
        new(key, "a whole number", (options, text) => Assign(int.TryParse(text, NumberStyles.Integer, CultureInfo.InvariantCulture, out var value), options, value, assign));

    private static GateSetting Text(string key, Action<TransactionGateOptions, string> assign) => new(key, "a text", (options, text) => Assign(isRead: true, options, text, assign));

    private static GateSetting Time(string key, Action<TransactionGateOptions, TimeSpan> assign) =>
        new(key, "a time (days.hours:minutes:seconds)", (options, text) => Assign(TimeSpan.TryParse(text, CultureInfo.InvariantCulture, out var value), options, value, assign));

    private static GateSetting Truth(string key, Action<TransactionGateOptions, bool> assign) =>
        new(key, "true or false", (options, text) => Assign(bool.TryParse(text, out var value), options, value, assign));

    // The parser would also take numbers, whose meaning changes with the order of the names, and several names at once.
    private static GateSetting Name<T>(string key, Action<TransactionGateOptions, T> assign)
        where T : struct, Enum =>
        new(key, string.Join(", ", Enum.GetNames<T>()), (options, text) => Assign(Enum.TryParse<T>(text, ignoreCase: true, out var value) && string.Equals(Enum.GetName(value), text, StringComparison.OrdinalIgnoreCase), options, value, assign));

    private static bool Assign<T>(bool isRead, TransactionGateOptions options, T value, Action<TransactionGateOptions, T> assign)
    {
        if (isRead)
        {
            assign(options, value);
        }

        return isRead;
    }
}
