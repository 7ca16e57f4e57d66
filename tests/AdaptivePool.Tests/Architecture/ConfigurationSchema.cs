using System.Reflection;
using System.Text.Json;
using System.Text.Json.Nodes;
using System.Text.RegularExpressions;
using AdaptivePool.Admission;
using AdaptivePool.Control;
using AdaptivePool.Hosting;

namespace AdaptivePool.Tests.Architecture;

/// <summary>The JSON schema of the sections of appsettings.json, made from the options: editors complete keys and mark values out of range by it.</summary>
internal static partial class ConfigurationSchema
{
    // No range has a time below zero. A first number above 23 would be read as days.
    private const string Time = @"^(\d+\.)?([01]?\d|2[0-3]):[0-5]?\d(:[0-5]?\d(\.\d{1,7})?)?$";

    public static string Write()
    {
        JsonObject pool = Section(typeof(AdaptivePoolOptions), "src/AdaptivePool/AdaptivePoolOptions.cs");
        pool["properties"]![nameof(AdaptivePoolOptions.HillClimbing)] = Section(typeof(HillClimbingOptions), file: null);
        JsonObject gate = Section(typeof(TransactionGateOptions), "src/AdaptivePool/Admission/TransactionGateOptions.cs",
            leftOut: nameof(TransactionGateOptions.Name));
        gate["properties"]![nameof(TransactionGateOptions.GroupWeights)] = new JsonObject
        {
            ["type"] = "object",
            ["additionalProperties"] = new JsonObject { ["type"] = "integer", ["minimum"] = 1, ["maximum"] = 1_000 },
        };
        JsonObject first = pool.DeepClone().AsObject();
        JsonObject hosting = Section(typeof(AdaptivePoolHostingOptions), "src/AdaptivePool.Hosting/AdaptivePoolHostingOptions.cs");
        foreach ((string key, JsonNode? value) in hosting["properties"]!.AsObject())
        {
            first["properties"]![key] = value!.DeepClone();
        }

        first["properties"]!["Pools"] = new JsonObject { ["type"] = "object", ["additionalProperties"] = pool };
        var schema = new JsonObject
        {
            ["type"] = "object",
            ["properties"] = new JsonObject
            {
                ["AdaptivePool"] = first,
                ["TransactionGates"] = new JsonObject { ["type"] = "object", ["additionalProperties"] = gate },
            },
        };
        return schema.ToJsonString(
            new JsonSerializerOptions { WriteIndented = true, Encoder = System.Text.Encodings.Web.JavaScriptEncoder.UnsafeRelaxedJsonEscaping }) + "\n";
    }

    /// <summary>What the documentation of a property says first, without its tags.</summary>
    public static string Summary(string file, string property)
    {
        string[] lines = Repository.Read(file).Split('\n');
        int at = Array.FindIndex(lines, line => Regex.IsMatch(line, $@"^\s+public .* {property} \{{"));
        List<string> comment = [];
        for (int i = at - 1; i >= 0 && lines[i].TrimStart() is var line && (line.StartsWith("///", StringComparison.Ordinal) || line.StartsWith('[')); i--)
        {
            if (line.StartsWith("///", StringComparison.Ordinal))
            {
                comment.Insert(0, line[3..].Trim());
            }
        }

        string text = string.Join(' ', comment);
        text = text.Contains("<summary>", StringComparison.Ordinal) ? text.Split("<summary>")[1].Split("</summary>")[0] : text;
        text = Reference().Replace(text, static m => m.Groups["name"].Value.Split('(')[0].Split('.')[^1]);
        return Tag().Replace(text, "").Trim();
    }

    private static JsonObject Section(Type options, string? file, string? leftOut = null)
    {
        var properties = new JsonObject();
        foreach (PropertyInfo option in options.GetProperties(BindingFlags.Public | BindingFlags.Instance)
            .Where(p => p.SetMethod is { IsPublic: true } && p.Name != leftOut))
        {
            if (Value(option) is { } schema)
            {
                if (file is not null)
                {
                    schema["description"] = Summary(file, option.Name);
                }

                properties[option.Name] = schema;
            }
        }

        return new JsonObject { ["type"] = "object", ["properties"] = properties, ["additionalProperties"] = false };
    }

    private static JsonObject? Value(PropertyInfo option)
    {
        Type type = Nullable.GetUnderlyingType(option.PropertyType) ?? option.PropertyType;
        OptionRangeAttribute? range = option.GetCustomAttribute<OptionRangeAttribute>();
        return type.IsEnum ? new JsonObject { ["enum"] = new JsonArray([.. Enum.GetNames(type).Select(static name => (JsonNode)name)]) }
            : type == typeof(bool) ? new JsonObject { ["type"] = "boolean" }
            : type == typeof(string) ? new JsonObject { ["type"] = "string" }
            : type == typeof(TimeSpan) ? Times(range)
            : type == typeof(int) || type == typeof(double) ? Numbers(type == typeof(int) ? "integer" : "number", range)
            : type == typeof(SeedWaveOptions) ? Section(type, file: null)
            : null;
    }

    private static JsonObject Times(OptionRangeAttribute? range)
    {
        JsonObject time = new() { ["type"] = "string", ["pattern"] = Time };
        JsonArray others = range is { OrInfinite: true } ? ["Infinite"] : [];
        if (range?.Minimum is TimeSpan least && least == TimeSpan.Zero)
        {
            others.Add(0);
            others.Add("0");
        }

        return others.Count == 0 ? time : new JsonObject { ["anyOf"] = new JsonArray(time, new JsonObject { ["enum"] = others }) };
    }

    private static JsonObject Numbers(string type, OptionRangeAttribute? range)
    {
        JsonObject number = new() { ["type"] = type };
        if (range is not null)
        {
            number["minimum"] = Number(range.Minimum);
            number["maximum"] = Number(range.Maximum);
        }

        return range is { OrZero: true } ? new JsonObject { ["anyOf"] = new JsonArray(new JsonObject { ["enum"] = new JsonArray(0) }, number) } : number;
    }

    private static JsonNode Number(object value) => value is int whole ? whole : (double)value;

    [GeneratedRegex("<(?:see|paramref|c)\\b[^>]*?(?:cref|langword|name)=\"(?<name>[^\"]*)\"\\s*/>")]
    private static partial Regex Reference();

    [GeneratedRegex("</?[a-z][^>]*>")]
    private static partial Regex Tag();
}
