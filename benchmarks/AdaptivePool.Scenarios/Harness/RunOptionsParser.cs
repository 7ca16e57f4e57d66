using System.CommandLine;

namespace AdaptivePool.Scenarios.Harness;

/// <summary>Reads the command line.</summary>
public sealed class RunOptionsParser
{
    private readonly Argument<string> _name =
        new("NAME") { Description =
        "The scenario, or another command. 'list' lists all scenarios with their cases and metrics. 'replay LOG' repeats the decisions of a decision log. "
        + "'golden DIR' repeats golden traces. 'loss' reports what searching for a size costs in random situations. 'picture --help' describes how "
        + "to draw results." };
    private readonly Option<bool> _quick = new("--quick") { Description = "Short times and one round." };
    private readonly Option<int?> _rounds =
        new("--rounds") { Description = "Rounds per case and pool, 1 to 100. The order of the pools alternates (A B B A ...)." };
    private readonly Option<string> _pools =
        new("--pools") { Description =
        "Comma-separated pools: runtime, runtime-N, adaptive, adaptive-from-N, fixed-N, fixed-A+B, gated-N and others. 'list' has all of them." };
    private readonly Option<string> _cases = new("--cases") { Description = "Comma-separated cases, or beginnings of their names." };
    private readonly Option<string> _json = new("--json") { Description = "File to which the results are written, as JSON." };
    private readonly IReadOnlyList<(string[] Scenarios, Option<string> Option)> _extra;
    private readonly RootCommand _command;

    /// <summary>Creates the parser.</summary>
    public RunOptionsParser()
    {
        _command = new RootCommand("Compares thread pools under load. Each pool runs in its own child process.") { _name, _quick, _rounds, _pools, _cases,
            _json };
        _extra =
        [
            .. ScenarioCatalog.All
                .SelectMany(static s => s.Options, static (scenario, option) => (Scenario: scenario.Name, Option: option))
                .GroupBy(static p => p.Option.Name, StringComparer.Ordinal)
                .Select(static g => (g.Select(static p => p.Scenario).ToArray(),
                    new Option<string>(g.Key) { Description = string.Join(' ', g.Select(static p => $"{p.Scenario}: {p.Option.Description}")) })),
        ];
        foreach ((_, Option<string> option) in _extra)
        {
            _command.Add(option);
        }
    }

    /// <summary>Reads the arguments. For a help or version request it prints the answer and returns null.</summary>
    /// <exception cref="UsageException">An option or value is unknown.</exception>
    public RunOptions? Parse(string[] args)
    {
        ParseResult result = _command.Parse(args);
        if (result.Errors.Count > 0)
        {
            throw new UsageException(string.Join('\n', result.Errors.Select(e => e.Message)));
        }

        if (result.Action is not null)
        {
            result.Invoke();
            return null;
        }

        int? rounds = result.GetValue(_rounds);
        if (rounds is < 1 or > 100)
        {
            throw new UsageException($"--rounds {rounds} is outside 1 to 100.");
        }

        string name = result.GetRequiredValue(_name);
        return new RunOptions
        {
            Name = name,
            Extra = Extra(result, name),
            Quick = result.GetValue(_quick),
            Rounds = rounds,
            Pools = Split(_pools.Name, result.GetValue(_pools)),
            Cases = Split(_cases.Name, result.GetValue(_cases)),
            Json = result.GetValue(_json),
        };
    }

    private Dictionary<string, string> Extra(ParseResult result, string name)
    {
        Dictionary<string, string> values = new(StringComparer.Ordinal);
        foreach ((string[] scenarios, Option<string> option) in _extra)
        {
            if (result.GetValue(option) is not { } value)
            {
                continue;
            }

            if (!scenarios.Contains(name, StringComparer.Ordinal))
            {
                throw new UsageException($"{option.Name} is an option of {string.Join(" and ", scenarios.Select(static s => $"'{s}'"))}, not of '{name}'.");
            }

            values[option.Name] = value;
        }

        return values;
    }

    /// <summary>The items of a list; none if the option is not given.</summary>
    private static string[] Split(string option, string? list)
    {
        if (list is null)
        {
            return [];
        }

        string[] items = [.. list.Split(',', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries).Distinct(StringComparer.Ordinal)];
        return items.Length > 0 ? items : throw new UsageException($"{option} is empty.");
    }
}
