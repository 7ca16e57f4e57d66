using System.Globalization;

namespace AdaptivePool.Hosting.Configuration;

/// <summary>
/// The settings of the section. The ranges are those of <see cref="AdaptivePoolOptions"/>; a test compares them with what the pool itself refuses.
/// </summary>
internal static class PoolSettings
{
    private const int MinStackSize = 256 * 1024;
    private const int MaxStackSize = 64 * 1024 * 1024;
    private const double MinMemoryShare = 0.1;
    private const int MaxClassCount = 10_000;
    private const int MaxEmergencyThreads = 1_000;
    private const string PathOfAFile = "the path of a file";
    private static readonly TimeSpan s_minIdleTimeout = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan s_minQueueTime = TimeSpan.FromMilliseconds(1);
    private static readonly TimeSpan s_minStallLimit = TimeSpan.FromMilliseconds(1);
    private static readonly TimeSpan s_maxStallLimit = TimeSpan.FromSeconds(60);
    private static readonly TimeSpan s_maxTimeout = TimeSpan.FromHours(24);

    private static string IntervalOrInfinite => $"{Text(s_minIdleTimeout)} to {Text(s_maxTimeout)} (days.hours:minutes:seconds), or Infinite";

    public static IReadOnlyList<PoolSetting> All { get; } =
    [
        new(
            nameof(AdaptivePoolOptions.Name),
            static (_, _) => "a name that is not empty",
            static (options, text) => { options.Name = text; return true; },
            static options => options.Name,
            static options => !string.IsNullOrWhiteSpace(options.Name)),
        new(
            nameof(AdaptivePoolOptions.MinThreads),
            UpToMaxThreads,
            static (options, text) => TryReadInteger(text, value => options.MinThreads = value),
            static options => Text(options.MinThreads ?? 0),
            static options => options.MinThreads is not { } min || (min >= 1 && min <= UpperBound(options))),
        new(
            nameof(AdaptivePoolOptions.InitialThreads),
            UpToMaxThreads,
            static (options, text) => TryReadInteger(text, value => options.InitialThreads = value),
            static options => Text(options.InitialThreads ?? 0),
            static options => options.InitialThreads is not { } initial || (initial >= 1 && initial <= UpperBound(options))),
        new(
            nameof(AdaptivePoolOptions.MaxThreads),
            static (_, _) => $"1 to {Text(AdaptivePoolOptions.DefaultMaxThreads)}",
            static (options, text) => TryReadInteger(text, value => options.MaxThreads = value),
            static options => Text(options.MaxThreads),
            IsMaxThreadsAllowed),
        new(
            nameof(AdaptivePoolOptions.IdleTimeout),
            static (_, _) => $"{Text(s_minIdleTimeout)} to {Text(s_maxTimeout)} (days.hours:minutes:seconds)",
            static (options, text) => TryReadDuration(text, value => options.IdleTimeout = value),
            static options => Text(options.IdleTimeout),
            static options => options.IdleTimeout >= s_minIdleTimeout && options.IdleTimeout <= s_maxTimeout),
        new(
            nameof(AdaptivePoolOptions.DrainTimeout),
            static (_, _) => $"{Text(TimeSpan.Zero)} to {Text(s_maxTimeout)} (days.hours:minutes:seconds), or Infinite",
            static (options, text) => TryReadDuration(text, value => options.DrainTimeout = value),
            static options => Text(options.DrainTimeout),
            static options => IsDrainTimeoutAllowed(options.DrainTimeout)),
        new(
            nameof(AdaptivePoolOptions.BlockingReportInterval),
            static (_, _) => IntervalOrInfinite,
            static (options, text) => TryReadDuration(text, value => options.BlockingReportInterval = value),
            static options => Text(options.BlockingReportInterval),
            static options => IsIntervalAllowed(options.BlockingReportInterval)),
        new(
            nameof(AdaptivePoolOptions.DeadlockTimeout),
            static (_, _) => IntervalOrInfinite,
            static (options, text) => TryReadDuration(text, value => options.DeadlockTimeout = value),
            static options => Text(options.DeadlockTimeout),
            static options => IsIntervalAllowed(options.DeadlockTimeout)),
        new(
            nameof(AdaptivePoolOptions.EmergencyThreads),
            static (_, _) => $"0 to {Text(MaxEmergencyThreads)}",
            static (options, text) => TryReadInteger(text, value => options.EmergencyThreads = value),
            static options => Text(options.EmergencyThreads),
            static options => options.EmergencyThreads is >= 0 and <= MaxEmergencyThreads),
        new(
            nameof(AdaptivePoolOptions.OnBlocking),
            static (_, _) => "Ignore, Warn or Throw",
            static (options, text) => TryReadName<BlockingAction>(text, value => options.OnBlocking = value),
            static options => options.OnBlocking.ToString(),
            static options => Enum.IsDefined(options.OnBlocking)),
        new(
            nameof(AdaptivePoolOptions.Guests),
            static (_, _) => "Auto or Never",
            static (options, text) => TryReadName<GuestMode>(text, value => options.Guests = value),
            static options => options.Guests.ToString(),
            static options => Enum.IsDefined(options.Guests)),
        new(
            nameof(AdaptivePoolOptions.WatchRuntimePool),
            static (_, _) => "true or false",
            static (options, text) =>
            {
                var isRead = bool.TryParse(text, out var value);
                options.WatchRuntimePool = isRead ? value : options.WatchRuntimePool;
                return isRead;
            },
            static options => options.WatchRuntimePool.ToString(),
            static _ => true),
        new(
            nameof(AdaptivePoolOptions.StallLimit),
            static (_, _) => $"{Text(s_minStallLimit)} to {Text(s_maxStallLimit)} (hours:minutes:seconds)",
            static (options, text) => TryReadDuration(text, value => options.StallLimit = value),
            static options => Text(options.StallLimit ?? TimeSpan.Zero),
            static options => options.StallLimit is not { } stall || (stall >= s_minStallLimit && stall <= s_maxStallLimit)),
        new(
            nameof(AdaptivePoolOptions.ThreadCreationThrottle),
            static (_, _) => ThrottleText.Allowed,
            static (options, text) =>
            {
                var isRead = ThrottleText.TryRead(text, out var throttle);
                options.ThreadCreationThrottle = isRead ? throttle : options.ThreadCreationThrottle;
                return isRead;
            },
            static options => ThrottleText.Write(options.ThreadCreationThrottle),
            static _ => true),
        new(
            nameof(AdaptivePoolOptions.MaxClasses),
            static (_, _) => $"1 to {Text(MaxClassCount)}",
            static (options, text) => TryReadInteger(text, value => options.MaxClasses = value),
            static options => Text(options.MaxClasses),
            static options => options.MaxClasses is >= 1 and <= MaxClassCount),
        new(
            nameof(AdaptivePoolOptions.MaxQueued),
            static (_, _) => $"1 to {Text(int.MaxValue)}",
            static (options, text) => TryReadInteger(text, value => options.MaxQueued = value),
            static options => Text(options.MaxQueued ?? 0),
            static options => options.MaxQueued is null or >= 1),
        new(
            nameof(AdaptivePoolOptions.MaxQueueTime),
            static (_, _) => $"{Text(s_minQueueTime)} to {Text(s_maxTimeout)} (days.hours:minutes:seconds), or Infinite",
            static (options, text) => TryReadDuration(text, value => options.MaxQueueTime = value),
            static options => Text(options.MaxQueueTime ?? TimeSpan.Zero),
            static options => options.MaxQueueTime is not { } time || time == Timeout.InfiniteTimeSpan || (time >= s_minQueueTime && time <= s_maxTimeout)),
        new(
            nameof(AdaptivePoolOptions.StackSize),
            static (_, _) => $"0, or {Text(MinStackSize)} to {Text(MaxStackSize)} (bytes)",
            static (options, text) => TryReadInteger(text, value => options.StackSize = value),
            static options => Text(options.StackSize),
            static options => options.StackSize is 0 or (>= MinStackSize and <= MaxStackSize)),
        new(
            nameof(AdaptivePoolOptions.MemoryLimitShare),
            static (_, _) => $"{MinMemoryShare.ToString(CultureInfo.InvariantCulture)} to 1",
            static (options, text) => TryReadNumber(text, value => options.MemoryLimitShare = value),
            static options => options.MemoryLimitShare.ToString(CultureInfo.InvariantCulture),
            static options => options.MemoryLimitShare is >= MinMemoryShare and <= 1),
        new(
            nameof(AdaptivePoolOptions.DecisionLogFile),
            static (_, _) => PathOfAFile,
            static (options, text) => { options.DecisionLogFile = text; return true; },
            static options => options.DecisionLogFile ?? "",
            static options => options.DecisionLogFile is not { } path || IsPath(path)),
    ];

    public static bool IsDrainTimeoutAllowed(TimeSpan value) => value == Timeout.InfiniteTimeSpan || (value >= TimeSpan.Zero && value <= s_maxTimeout);

    private static bool IsIntervalAllowed(TimeSpan value) => value == Timeout.InfiniteTimeSpan || (value >= s_minIdleTimeout && value <= s_maxTimeout);

    private static bool IsPath(string path) =>
        !string.IsNullOrWhiteSpace(path) && !path.Contains('\0', StringComparison.Ordinal) && Path.GetFileName(path).Length > 0;

    private static bool IsMaxThreadsAllowed(AdaptivePoolOptions options) => options.MaxThreads is >= 1 and <= AdaptivePoolOptions.DefaultMaxThreads;

    // A MaxThreads that is itself wrong is reported once, under its own key.
    private static int UpperBound(AdaptivePoolOptions options) => IsMaxThreadsAllowed(options) ? options.MaxThreads : AdaptivePoolOptions.DefaultMaxThreads;

    private static string UpToMaxThreads(AdaptivePoolOptions options, string path)
    {
        var max = UpperBound(options);
        var origin = max == AdaptivePoolOptions.DefaultMaxThreads ? "" : $" ({path}:{nameof(AdaptivePoolOptions.MaxThreads)})";
        return $"1 to {Text(max)}{origin}";
    }

    private static bool TryReadInteger(string text, Action<int> assign)
    {
        if (!int.TryParse(text, NumberStyles.AllowLeadingSign | NumberStyles.AllowLeadingWhite | NumberStyles.AllowTrailingWhite, CultureInfo.InvariantCulture, out var value))
        {
            return false;
        }

        assign(value);
        return true;
    }

    private static bool TryReadName<T>(string text, Action<T> assign)
        where T : struct, Enum
    {
        // Names only: Enum.TryParse takes any number, and lists of names, too.
        foreach (var value in Enum.GetValues<T>())
        {
            if (string.Equals(text.Trim(), value.ToString(), StringComparison.OrdinalIgnoreCase))
            {
                assign(value);
                return true;
            }
        }

        return false;
    }

    private static bool TryReadNumber(string text, Action<double> assign)
    {
        if (!double.TryParse(text, NumberStyles.Float, CultureInfo.InvariantCulture, out var value))
        {
            return false;
        }

        assign(value);
        return true;
    }

    private static bool TryReadDuration(string text, Action<TimeSpan> assign)
    {
        if (string.Equals(text.Trim(), nameof(Timeout.Infinite), StringComparison.OrdinalIgnoreCase))
        {
            assign(Timeout.InfiniteTimeSpan);
            return true;
        }

        if (!TimeSpan.TryParse(text, CultureInfo.InvariantCulture, out var value))
        {
            return false;
        }

        assign(value);
        return true;
    }

    private static string Text(int value) => value.ToString(CultureInfo.InvariantCulture);

    private static string Text(TimeSpan value) =>
        value == Timeout.InfiniteTimeSpan ? nameof(Timeout.Infinite) : value.ToString("c", CultureInfo.InvariantCulture);
}
