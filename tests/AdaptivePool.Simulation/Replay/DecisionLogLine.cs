using System.Globalization;
using System.Text.Json;
using System.Text.Json.Nodes;
using AdaptivePool.Control;
using AdaptivePool.Diagnostics;

namespace AdaptivePool.Simulation.Replay;

/// <summary>Lines of a decision log as what they tell.</summary>
internal static class DecisionLogLine
{
    private const string VersionKey = "version";
    private const string OptionsKey = "options";

    /// <summary>What were options once, and the only values with which a log of then can be replayed.</summary>
    private static readonly Dictionary<string, double> s_constants = new(StringComparer.Ordinal)
    {
        ["minElasticity"] = MoveRule.MinElasticity,
        ["upConfidence"] = MoveRule.Usual.Up,
        ["downConfidence"] = MoveRule.Usual.Down,
        ["earlyConfidence"] = AdaptiveSearch.EarlyConfidence,
        ["forgetting"] = AdaptiveSearch.Forgetting,
    };

    /// <summary>Reads the first line.</summary>
    /// <exception cref="JsonException">The line is no header; the message says what is wrong.</exception>
    public static DecisionLogHeader ReadHeader(string line)
    {
        if (JsonNode.Parse(line) is not JsonObject read || !IsText(read["format"], DecisionLogHeader.FormatName))
        {
            throw new JsonException($"this is no decision log: its first line must name the format \"{DecisionLogHeader.FormatName}\"");
        }

        // Before anything else: what a later version means by a name is not known.
        if (read[VersionKey] is not JsonValue version || !version.TryGetValue(out int number) || number != DecisionLogHeader.CurrentVersion)
        {
            throw new JsonException(
                $"version {read[VersionKey]?.ToJsonString() ?? "(none)"} of the format is not known; this library reads version "
                + $"{DecisionLogHeader.CurrentVersion}");
        }

        if (read[OptionsKey] is { } options)
        {
            read[OptionsKey] = WithDefaults(options);
        }

        DecisionLogHeader header = read.Deserialize(DecisionLogJson.Default.DecisionLogHeader)!;
        try
        {
            header.Options?.Validate();
        }
        catch (ArgumentOutOfRangeException exception)
        {
            throw new JsonException(exception.Message, exception);
        }

        return header;
    }

    /// <summary>Reads any other line.</summary>
    /// <exception cref="JsonException">The line is no entry; the message says what is wrong.</exception>
    public static DecisionLogEntry ReadEntry(string line)
    {
        DecisionLogEntry entry = JsonSerializer.Deserialize(line, DecisionLogJson.Default.DecisionLogEntry) ?? throw new JsonException("an object is expected");
        if (!Enum.IsDefined(entry.Kind) || !Enum.IsDefined(entry.Reason))
        {
            throw new JsonException("kind or reason is a number without a name");
        }

        if (entry.Kind == DecisionLogKind.Step && (entry.Sample is null || entry.Trace is null))
        {
            throw new JsonException("a step needs sample and trace");
        }

        return entry;
    }

    // An option that was added after the log was written has its default: that is how the controller of then behaved.
    private static JsonObject WithDefaults(JsonNode node)
    {
        JsonObject options = JsonSerializer.SerializeToNode(new HillClimbingOptions(), DecisionLogJson.Default.HillClimbingOptions)!.AsObject();
        if (node is not JsonObject named)
        {
            throw new JsonException("options must be an object");
        }

        foreach ((string name, JsonNode? value) in named)
        {
            if (s_constants.TryGetValue(name, out double constant))
            {
                if (value is not JsonValue number || !number.TryGetValue(out double given) || given != constant)
                {
                    throw new JsonException(
                        string.Create(CultureInfo.InvariantCulture, $"'{name}' is no option any more; a log is replayed with {constant} only, this has ")
                        + (value?.ToJsonString() ?? "null"));
                }

                continue;
            }

            if (!options.ContainsKey(name))
            {
                throw new JsonException($"there is no option '{name}'");
            }

            options[name] = value?.DeepClone();
        }

        return options;
    }

    private static bool IsText(JsonNode? node, string expected) => node is JsonValue value && value.TryGetValue(out string? text) && text == expected;
}
