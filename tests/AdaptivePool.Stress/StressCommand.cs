using System.Diagnostics;
using System.Globalization;
using AdaptivePool.Stress.Rounds;
using AdaptivePool.Stress.Surroundings;

namespace AdaptivePool.Stress;

/// <summary>Runs rounds until there were enough items or the time is over.</summary>
internal static class StressCommand
{
    private const int Right = 0;
    private const int Wrong = 1;
    private const int Misused = 2;
    private static readonly TimeSpan s_reportEvery = TimeSpan.FromSeconds(10);

    /// <summary>Runs the program.</summary>
    /// <returns>0: all accounts are right; 1: they are not; 2: the command line is wrong.</returns>
    public static int Run(string[] arguments, TextWriter output)
    {
        StressOptions options;
        try
        {
            options = StressOptions.Parse(arguments);
        }
        catch (FormatException exception)
        {
            output.WriteLine($"{exception.Message} Usage: {StressOptions.Usage}");
            return Misused;
        }

        output.WriteLine($"seed {options.Seed}, mode {StressOptions.NameOf(options.Mode)}, {Environment.ProcessorCount} cores");
        var tally = new Tally();
        try
        {
            foreach (StressMode mode in Modes(options.Mode))
            {
                RunMode(mode, options, tally, output);
            }
        }
        catch (Exception exception) when (exception is StuckException or PlatformNotSupportedException)
        {
            tally.Violate(exception.Message);
        }

        output.WriteLine($"{tally}, seed {options.Seed}");
        return tally.IsRight ? Right : Wrong;
    }

    /// <summary>The modes of a run. The last one gives cores away for good.</summary>
    private static StressMode[] Modes(StressMode mode) =>
        mode == StressMode.All ? [.. Enum.GetValues<StressMode>().Where(static m => m != StressMode.All)] : [mode];

    private static void RunMode(StressMode mode, StressOptions options, Tally tally, TextWriter output)
    {
        int modes = Modes(options.Mode).Length;
        long items = options.Items == 0 ? long.MaxValue : Math.Max(1, options.Items / modes);
        TimeSpan time = options.Minutes == 0 ? TimeSpan.MaxValue : TimeSpan.FromMinutes(options.Minutes / modes);
        using IDisposable surroundings = Surround(mode, options.Seed);
        long start = Stopwatch.GetTimestamp();
        long submittedBefore = tally.Submitted;
        TimeSpan reported = TimeSpan.Zero;
        for (int number = 0; tally.Submitted - submittedBefore < items && (number == 0 || Stopwatch.GetElapsedTime(start) < time); number++)
        {
            long left = items - (tally.Submitted - submittedBefore);
            Round round = Create(mode, number);
            round.Run(tally, unchecked((options.Seed * 31) + number), left);
            TimeSpan elapsed = Stopwatch.GetElapsedTime(start);
            if (elapsed - reported > s_reportEvery)
            {
                reported = elapsed;
                output.WriteLine(string.Create(CultureInfo.InvariantCulture,
                    $"{StressOptions.NameOf(mode)}, round {number + 1}, {elapsed.TotalSeconds:0} s: {tally}"));
                output.Flush();
            }
        }

        long done = tally.Submitted - submittedBefore;
        double seconds = Stopwatch.GetElapsedTime(start).TotalSeconds;
        output.WriteLine(string.Create(CultureInfo.InvariantCulture,
            $"{StressOptions.NameOf(mode)}: {done} items in {seconds:0.0} s, {seconds * 1e9 / Math.Max(1, done):0} ns each"));
    }

    private static Round Create(StressMode mode, int number) => mode switch
    {
        StressMode.Items => new ItemsRound(hasNet: number % 2 != 0),
        StressMode.Bursts => new BurstRound(),
        StressMode.Dispose => new DisposeRound(),
        StressMode.Queues => new QueueRound(),
        StressMode.OneCore when number % 2 != 0 => new BurstRound(),
        _ => new MixedRound(hasNet: number % 4 >= 2),
    };

    private static IDisposable Surround(StressMode mode, int seed) => mode switch
    {
        StressMode.Oversubscribed => new BusyThreads(4 * Environment.ProcessorCount),
        StressMode.Gc => new CollectionChurn(seed),
        StressMode.OneCore => CoreAffinity.PinToOne(),
        _ => Nothing.Instance,
    };
}
