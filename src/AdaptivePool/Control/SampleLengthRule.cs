namespace AdaptivePool.Control;

/// <summary>Decides how long the next sample should last. It must hold a number of completions, because completions and not seconds carry the
/// information.</summary>
internal static class SampleLengthRule
{
    /// <summary>Longest possible sample, as a multiple of <see cref="HillClimbingOptions.MaxSampleInterval"/>.</summary>
    public const double SlowFactor = 30;

    /// <summary>Number of completions that a measuring sample should hold.</summary>
    /// <param name="size">Size to be measured, in threads.</param>
    /// <param name="options">The options.</param>
    public static double Completions(int size, HillClimbingOptions options)
        => Math.Max(options.MinSampleCompletions, options.SampleCompletionsPerThread * size);

    /// <summary>Number of completions to skip after a change of size: the threads that leave, and a share of one round of the new size.</summary>
    /// <param name="from">Size before, in threads.</param>
    /// <param name="to">Size after, in threads.</param>
    /// <param name="options">The options.</param>
    public static double SettleCompletions(int from, int to, HillClimbingOptions options)
        => options.SettleCompletionsPerThread <= 0 ? 0 : Math.Max(0, from - to) + (options.SettleCompletionsPerThread * to);

    /// <summary>Time for a number of completions at the present rate, within the options' bounds.</summary>
    /// <param name="completions">Completions wanted.</param>
    /// <param name="ratePerSecond">Present rate; zero when not known.</param>
    /// <param name="size">Size in force, in threads.</param>
    /// <param name="serviceTime">Mean service time; zero when not known. Then size / rate (Little's law) is used.</param>
    /// <param name="shortest">Shortest interval, in seconds.</param>
    /// <param name="options">The options.</param>
    public static TimeSpan Interval(double completions, double ratePerSecond, int size, TimeSpan serviceTime, double shortest, HillClimbingOptions options)
    {
        // The longest interval bounds samples that measure. One that settles may have to be longer.
        double longest = Math.Max(options.MaxSampleInterval.TotalSeconds, shortest);
        if (!(ratePerSecond > 0))
        {
            return TimeSpan.FromSeconds(longest);
        }

        double wanted = completions / ratePerSecond;
        if (wanted > longest)
        {
            // Few completions: a sample that is shorter than its items would see only chance.
            double service = serviceTime > TimeSpan.Zero ? serviceTime.TotalSeconds : size / ratePerSecond;
            longest = Math.Clamp(options.SlowSampleServiceTimes * service, longest, longest * SlowFactor);
        }

        return TimeSpan.FromSeconds(Math.Clamp(wanted, shortest, longest));
    }
}
