using System.Globalization;

namespace AdaptivePool.Sample.Cluster;

/// <summary>The command line.</summary>
internal sealed record ClusterArguments
{
    public const string Usage = "usage: AdaptivePool.Sample.Cluster [--front yarp|haproxy] [--policies a,b] [--rate N] [--seconds N] [--rounds N]";

    public string Front { get; private init; } = "yarp";

    public IReadOnlyList<string> Policies { get; private init; } = [];

    /// <summary>Requests per second.</summary>
    public int Rate { get; private init; } = 400;

    public int Seconds { get; private init; } = 10;

    public int Rounds { get; private init; } = 1;

    /// <summary>Policies that a front knows, ours first.</summary>
    public static IReadOnlyList<string> Known(string front) => front == "yarp"
        ? ["Collaborative", "CollaborativeRoundRobin", "RoundRobin", "LeastRequests", "PowerOfTwoChoices"]
        : ["agent", "roundrobin", "leastconn", "random"];

    /// <exception cref="UsageException">An argument is unknown or out of its range.</exception>
    public static ClusterArguments Parse(string[] args)
    {
        ClusterArguments result = new();
        for (int i = 0; i < args.Length; i += 2)
        {
            string name = args[i];
            string Value() => i + 1 < args.Length ? args[i + 1] : throw new UsageException($"{name} wants a value.\n{Usage}");
            result = name switch
            {
                "--front" => result with { Front = OneOf(name, Value(), "yarp", "haproxy") },
                "--policies" => result with { Policies = List(name, Value()) },
                "--rate" => result with { Rate = Number(name, Value(), 2000) },
                "--seconds" => result with { Seconds = Number(name, Value(), 600) },
                "--rounds" => result with { Rounds = Number(name, Value(), 100) },
                _ => throw new UsageException($"'{name}' is unknown.\n{Usage}"),
            };
        }

        IReadOnlyList<string> known = Known(result.Front);
        if (result.Policies.FirstOrDefault(p => !known.Contains(p)) is { } unknown)
        {
            throw new UsageException($"--policies: '{unknown}' is unknown to {result.Front}; wanted: {string.Join(", ", known)}.");
        }

        return result.Policies.Count > 0 ? result : result with { Policies = known };
    }

    private static string OneOf(string name, string text, params string[] wanted) =>
        wanted.Contains(text) ? text : throw new UsageException($"{name} is '{text}'; wanted: {string.Join(" or ", wanted)}.");

    private static string[] List(string name, string text) =>
        text.Split(',', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries) is { Length: > 0 } items
            ? items : throw new UsageException($"{name} is empty.");

    private static int Number(string name, string text, int most) =>
        int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out int number) && number >= 1 && number <= most
            ? number
            : throw new UsageException($"{name} is '{text}'; wanted: 1 to {most}.");
}
