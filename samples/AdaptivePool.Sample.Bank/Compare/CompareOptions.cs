using System.Globalization;

namespace AdaptivePool.Sample.Bank.Compare;

/// <summary>Arguments of "compare".</summary>
/// <param name="Load">Time under load, all cells together.</param>
internal sealed record CompareOptions(TimeSpan Load)
{
    public const string Usage = "Usage: compare [--seconds N]   N: seconds under load, 20 to 600, default 40";

    private const int DefaultSeconds = 40;
    private const int MinSeconds = 20;
    private const int MaxSeconds = 600;

    // Starting, warming up, waiting for late answers and stopping. With the default everything ends within 90 s.
    private static readonly TimeSpan s_allowance = TimeSpan.FromSeconds(48);

    /// <summary>When a run that has not ended is given up.</summary>
    public TimeSpan Limit => Load + s_allowance;

    /// <summary>Reads the arguments; <paramref name="error"/> says what is wrong with them.</summary>
    public static CompareOptions? Parse(string[] args, out string error)
    {
        int seconds = DefaultSeconds;
        error = "";
        for (int i = 0; i < args.Length; i++)
        {
            if (args[i] != "--seconds")
            {
                error = $"Unknown argument '{args[i]}'.";
            }
            else if (++i == args.Length)
            {
                error = "--seconds needs a number.";
            }
            else if (!int.TryParse(args[i], NumberStyles.None, CultureInfo.InvariantCulture, out seconds) || seconds is < MinSeconds or > MaxSeconds)
            {
                error = $"--seconds is '{args[i]}'; allowed: whole numbers from {MinSeconds} to {MaxSeconds}.";
            }

            if (error.Length > 0)
            {
                return null;
            }
        }

        return new CompareOptions(TimeSpan.FromSeconds(seconds));
    }
}
