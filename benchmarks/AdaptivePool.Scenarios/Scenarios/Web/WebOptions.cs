using System.Globalization;
using AdaptivePool.Scenarios.Harness;

namespace AdaptivePool.Scenarios.Scenarios.Web;

/// <summary>What the options of <c>web</c> change in its closed loops.</summary>
/// <param name="Connections">Connections in place of those of the case; null: those of the case.</param>
/// <param name="WarmUp">How long nothing counts.</param>
public sealed record WebOptions(int? Connections, TimeSpan WarmUp)
{
    private const string ConnectionsName = "--connections";
    private const string WarmUpName = "--warm-up";

    /// <summary>Until then the just-in-time compiler takes a twelfth of two cores, with the hop a tenth.</summary>
    private static readonly TimeSpan s_warmUp = TimeSpan.FromSeconds(5);

    /// <summary>Where nothing is asked for.</summary>
    public static WebOptions Default { get; } = new(null, s_warmUp);

    /// <summary>The options of <c>web</c>.</summary>
    public static IReadOnlyList<ScenarioOption> Known { get; } =
    [
        new(ConnectionsName, "Connections of the closed loops, 1 to 10000, in place of those of the case."),
        new(WarmUpName, "Seconds of the closed loops that do not count, 0 to 600; default 5."),
    ];

    /// <summary>The option of <c>web-pairs</c>, whose cases say the connections.</summary>
    public static IReadOnlyList<ScenarioOption> OfPairs { get; } =
        [new(WarmUpName, "Seconds before the first pair at least, 0 to 600; default 5. It is up to eight times as long, until the compiler is done.")];

    /// <summary>Reads them.</summary>
    /// <exception cref="UsageException">A value is not possible; the message names option, value and range.</exception>
    public static WebOptions Read(RunOptions options) => new(
        Number(options, ConnectionsName, 1, 10_000),
        Number(options, WarmUpName, 0, 600) is { } seconds ? TimeSpan.FromSeconds(seconds) : s_warmUp);

    private static int? Number(RunOptions options, string name, int least, int most)
    {
        if (!options.Extra.TryGetValue(name, out string? text))
        {
            return null;
        }

        return int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out int value) && value >= least && value <= most
            ? value
            : throw new UsageException($"{name} '{text}' is not a whole number of {least} to {most}.");
    }
}
