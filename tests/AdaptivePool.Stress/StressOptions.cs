using System.Globalization;

namespace AdaptivePool.Stress;

/// <summary>What the command line says.</summary>
/// <param name="Mode">What is stressed.</param>
/// <param name="Seed">Seed of all random choices. Threads run as they like, so a seed repeats what was submitted and not how it was interleaved.</param>
/// <param name="Items">Items to submit, over all modes; 0: as many as there is time for.</param>
/// <param name="Minutes">How long; 0: until all items are through.</param>
internal sealed record StressOptions(StressMode Mode, int Seed, long Items, double Minutes)
{
    public const string Usage =
        "AdaptivePool.Stress [--mode all|mixed|items|bursts|dispose|queues|oversubscribed|gc|one-core] [--seed N] [--items N] [--minutes N]";
    private const long DefaultItems = 2_000_000;

    /// <summary>Reads a command line.</summary>
    /// <exception cref="FormatException">An option is unknown or has a value out of its range; the message says which.</exception>
    public static StressOptions Parse(IReadOnlyList<string> arguments)
    {
        var options = new StressOptions(StressMode.All, Environment.TickCount & int.MaxValue, 0, 0);
        for (int i = 0; i < arguments.Count; i += 2)
        {
            string name = arguments[i];
            string value = i + 1 < arguments.Count ? arguments[i + 1] : throw new FormatException($"{name} needs a value.");
            options = name switch
            {
                "--mode" => options with { Mode = ParseMode(value) },
                "--seed" => options with { Seed = (int)Number(name, value, 0, int.MaxValue) },
                "--items" => options with { Items = (long)Number(name, value, 1, 1e15) },
                "--minutes" => options with { Minutes = Number(name, value, 0.001, 100_000) },
                _ => throw new FormatException($"{name} is no option."),
            };
        }

        return options.Items == 0 && options.Minutes == 0 ? options with { Items = DefaultItems } : options;
    }

    private static StressMode ParseMode(string text) =>
        Enum.GetValues<StressMode>().Cast<StressMode?>().FirstOrDefault(mode => NameOf(mode!.Value) == text)
        ?? throw new FormatException($"--mode {text}: expected one of {string.Join(", ", Enum.GetValues<StressMode>().Select(NameOf))}.");

    /// <summary>The name of a mode on the command line.</summary>
    public static string NameOf(StressMode mode) => mode == StressMode.OneCore ? "one-core" : mode.ToString().ToLowerInvariant();

    private static double Number(string name, string text, double least, double most) =>
        double.TryParse(text, NumberStyles.Float, CultureInfo.InvariantCulture, out double number) && number >= least && number <= most
            ? number
            : throw new FormatException(string.Create(CultureInfo.InvariantCulture, $"{name} {text}: expected a number from {least} to {most}."));
}
