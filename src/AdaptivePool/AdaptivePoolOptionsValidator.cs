using System.Globalization;

namespace AdaptivePool;

/// <summary>Checks <see cref="AdaptivePoolOptions"/>. Each message names the option, the value and the allowed range.</summary>
public static class AdaptivePoolOptionsValidator
{
    internal const int MostThreads = AdaptivePoolOptions.DefaultMaxThreads;
    private const int SmallestStack = 256 * 1024;
    private const int LargestStack = 64 * 1024 * 1024;
    internal const int MostClasses = 10_000;
    internal const int MostEmergencyThreads = 1_000;
    private const double SmallestMemoryShare = 0.1;
    private static readonly TimeSpan s_shortestIdleTimeout = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan s_shortestInterval = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan s_shortestStall = TimeSpan.FromMilliseconds(1);
    private static readonly TimeSpan s_shortestQueueTime = TimeSpan.FromMilliseconds(1);
    private static readonly TimeSpan s_longestStall = TimeSpan.FromSeconds(60);
    private static readonly TimeSpan s_longest = TimeSpan.FromHours(24);

    /// <summary>All that is wrong with the options; empty when they are good.</summary>
    /// <param name="options">The options to check.</param>
    /// <exception cref="ArgumentNullException"><paramref name="options"/> is null.</exception>
    public static IReadOnlyList<string> Validate(AdaptivePoolOptions options) => [.. Failures(options).Select(static failure => failure.Message)];

    /// <summary>Throws for the first thing that is wrong.</summary>
    /// <param name="options">The options to check.</param>
    /// <exception cref="ArgumentNullException"><paramref name="options"/> is null.</exception>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range; the message names option, value and range.</exception>
    public static void ThrowIfInvalid(AdaptivePoolOptions options)
    {
        foreach ((string option, object? value, string message) in Failures(options))
        {
            throw new ArgumentOutOfRangeException(option, value, message);
        }
    }

    private static List<(string Option, object? Value, string Message)> Failures(AdaptivePoolOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        var failures = new List<(string, object?, string)>();
        if (string.IsNullOrWhiteSpace(options.Name))
        {
            failures.Add(Failure(nameof(options.Name), options.Name, "any text that is not empty"));
        }

        bool maxIsGood = options.MaxThreads is >= 1 and <= MostThreads;
        if (!maxIsGood)
        {
            failures.Add(Failure(nameof(options.MaxThreads), options.MaxThreads, $"1 to {MostThreads}"));
        }

        int mostMin = maxIsGood ? options.MaxThreads : MostThreads;
        string upToMax = mostMin == MostThreads ? $"1 to {MostThreads}" : $"1 to {mostMin} ({nameof(options.MaxThreads)})";
        if (options.MinThreads is { } min && (min < 1 || min > mostMin))
        {
            failures.Add(Failure(nameof(options.MinThreads), min, upToMax));
        }

        if (options.InitialThreads is { } initial && (initial < 1 || initial > mostMin))
        {
            failures.Add(Failure(nameof(options.InitialThreads), initial, upToMax));
        }

        if (options.IdleTimeout < s_shortestIdleTimeout || options.IdleTimeout > s_longest)
        {
            failures.Add(Failure(nameof(options.IdleTimeout), options.IdleTimeout, $"{s_shortestIdleTimeout} to {s_longest}"));
        }

        if (options.DrainTimeout != Timeout.InfiniteTimeSpan && (options.DrainTimeout < TimeSpan.Zero || options.DrainTimeout > s_longest))
        {
            failures.Add(Failure(nameof(options.DrainTimeout), options.DrainTimeout, $"{TimeSpan.Zero} to {s_longest}, or {Timeout.InfiniteTimeSpan} for ever"));
        }

        AddInterval(failures, nameof(options.BlockingReportInterval), options.BlockingReportInterval);
        AddInterval(failures, nameof(options.DeadlockTimeout), options.DeadlockTimeout);
        if (options.EmergencyThreads is < 0 or > MostEmergencyThreads)
        {
            failures.Add(Failure(nameof(options.EmergencyThreads), options.EmergencyThreads, $"0 to {MostEmergencyThreads}"));
        }

        if (options.OnBlocking is < BlockingAction.Ignore or > BlockingAction.Throw)
        {
            failures.Add(Failure(nameof(options.OnBlocking), options.OnBlocking, "Ignore, Warn or Throw"));
        }

        if (options.Guests is < GuestMode.Auto or > GuestMode.Never)
        {
            failures.Add(Failure(nameof(options.Guests), options.Guests, "Auto or Never"));
        }

        if (options.StallLimit is { } stall && (stall < s_shortestStall || stall > s_longestStall))
        {
            failures.Add(Failure(nameof(options.StallLimit), stall, $"not set, or {s_shortestStall} to {s_longestStall}"));
        }

        if (options.MaxClasses is < 1 or > MostClasses)
        {
            failures.Add(Failure(nameof(options.MaxClasses), options.MaxClasses, $"1 to {MostClasses}"));
        }

        if (options.MaxQueued is < 1)
        {
            failures.Add(Failure(nameof(options.MaxQueued), options.MaxQueued, $"not set, or 1 to {int.MaxValue}"));
        }

        if (options.MaxQueueTime is { } queueTime && queueTime != Timeout.InfiniteTimeSpan && (queueTime < s_shortestQueueTime || queueTime > s_longest))
        {
            string range = $"not set, or {s_shortestQueueTime} to {s_longest}, or {Timeout.InfiniteTimeSpan} for ever";
            failures.Add(Failure(nameof(options.MaxQueueTime), queueTime, range));
        }

        if (options.StackSize != 0 && options.StackSize is < SmallestStack or > LargestStack)
        {
            failures.Add(Failure(nameof(options.StackSize), options.StackSize, $"0, or {SmallestStack} to {LargestStack} bytes"));
        }

        if (!(options.MemoryLimitShare >= SmallestMemoryShare && options.MemoryLimitShare <= 1))
        {
            failures.Add(Failure(nameof(options.MemoryLimitShare), options.MemoryLimitShare, string.Create(CultureInfo.InvariantCulture, $"{SmallestMemoryShare} to 1")));
        }

        AddFile(failures, nameof(options.DecisionLogFile), options.DecisionLogFile);

        try
        {
            options.HillClimbing?.Validate();
        }
        catch (ArgumentOutOfRangeException exception)
        {
            string message = exception.Message.Split('\n')[0].Split(" (Parameter")[0];
            failures.Add(($"{nameof(options.HillClimbing)}.{exception.ParamName}", exception.ActualValue, $"{nameof(options.HillClimbing)}.{message}"));
        }

        return failures;
    }

    private static void AddInterval(List<(string Option, object? Value, string Message)> failures, string option, TimeSpan value)
    {
        if (value != Timeout.InfiniteTimeSpan && (value < s_shortestInterval || value > s_longest))
        {
            failures.Add(Failure(option, value, $"{s_shortestInterval} to {s_longest}, or {Timeout.InfiniteTimeSpan} for never"));
        }
    }

    private static void AddFile(List<(string Option, object? Value, string Message)> failures, string option, string? path)
    {
        if (path is not null && !IsPath(path))
        {
            failures.Add(Failure(option, path, "not set, or the path of a file"));
        }
    }

    private static bool IsPath(string path) => !string.IsNullOrWhiteSpace(path) && !path.Contains('\0', StringComparison.Ordinal) && Path.GetFileName(path).Length > 0;

    private static (string Option, object? Value, string Message) Failure(string option, object? value, string range) =>
        (option, value, string.Create(CultureInfo.InvariantCulture, $"{option} is '{value}'; allowed: {range}."));
}
