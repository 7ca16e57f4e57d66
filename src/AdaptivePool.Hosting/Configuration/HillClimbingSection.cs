using System.Globalization;
using System.Text.Json;
using System.Text.Json.Nodes;
using System.Text.Json.Serialization.Metadata;
using AdaptivePool.Control;
using AdaptivePool.SeedWave;
using Microsoft.Extensions.Configuration;

namespace AdaptivePool.Hosting.Configuration;

/// <summary>The section "AdaptivePool:HillClimbing": every option of the controller by its name. Options that are not named keep their defaults.</summary>
internal static class HillClimbingSection
{
    public const string Key = nameof(AdaptivePoolOptions.HillClimbing);

    private static readonly JsonTypeInfo<HillClimbingOptions> s_type = HillClimbingJson.Default.HillClimbingOptions;

    /// <summary>Reads the section.</summary>
    /// <param name="section">The section; may be absent.</param>
    /// <param name="failures">What is wrong with it: the full key, the value and what is allowed.</param>
    /// <returns>The options; <see langword="null"/> when the section is absent or wrong.</returns>
    public static HillClimbingOptions? Read(IConfigurationSection section, out IReadOnlyList<string> failures)
    {
        List<string> wrong = [];
        failures = wrong;
        if (!section.Exists())
        {
            return null;
        }

        if (section.Value is { Length: > 0 } scalar)
        {
            wrong.Add(Wrong(section.Path, scalar, "a section with options of the controller"));
            return null;
        }

        var options = JsonSerializer.SerializeToNode(new HillClimbingOptions(), s_type)!.AsObject();
        Apply(section, s_type, options, wrong);
        return wrong.Count == 0 ? Validate(options, section, wrong) : null;
    }

    private static void Apply(IConfigurationSection section, JsonTypeInfo type, JsonObject options, List<string> wrong)
    {
        foreach (var child in section.GetChildren())
        {
            var property = type.Properties.FirstOrDefault(it => string.Equals(it.Name, child.Key, StringComparison.OrdinalIgnoreCase));
            if (property is null)
            {
                wrong.Add(Wrong(child.Path, child.Value ?? "(a section)", $"the keys {string.Join(", ", type.Properties.Select(static it => it.Name))}"));
            }
            else if (property.PropertyType == typeof(SeedWaveOptions) && child.Value is null)
            {
                Apply(child, HillClimbingJson.Default.SeedWaveOptions, options[property.Name]!.AsObject(), wrong);
            }
            else if (child.Value is not { } text)
            {
                wrong.Add(Wrong(child.Path, "(a section)", "one value"));
            }
            else if (Parse(property.PropertyType, text, out var allowed) is { } value)
            {
                options[property.Name] = value;
            }
            else
            {
                wrong.Add(Wrong(child.Path, text, allowed));
            }
        }
    }

    private static HillClimbingOptions? Validate(JsonObject options, IConfigurationSection section, List<string> wrong)
    {
        try
        {
            var read = options.Deserialize(s_type)!;
            read.Validate();
            return read;
        }
        catch (ArgumentOutOfRangeException exception)
        {
            // "Name is value; it must be range. (Parameter ...)": the name is the key.
            bool isSeeds = !s_type.Properties.Any(it => it.Name == exception.ParamName);
            wrong.Add($"{section.Path}:{(isSeeds ? $"{nameof(HillClimbingOptions.Seed)}:" : "")}{exception.Message.Split(" (Parameter")[0]}");
            return null;
        }
    }

    private static JsonNode? Parse(Type type, string text, out string allowed)
    {
        var invariant = CultureInfo.InvariantCulture;
        if (type.IsEnum)
        {
            allowed = OptionText.Names(type);
            return Enum.GetNames(type).FirstOrDefault(name => string.Equals(name, text.Trim(), StringComparison.OrdinalIgnoreCase)) is { } name
                ? JsonValue.Create(name) : null;
        }

        allowed = OptionText.IsReadable(type) ? OptionText.Kind(type) : $"nothing from configuration; {type.Name} is set in code";
        return type == typeof(bool) && bool.TryParse(text, out var flag) ? JsonValue.Create(flag)
            : type == typeof(int) && int.TryParse(text, NumberStyles.Integer, invariant, out var whole) ? JsonValue.Create(whole)
            : type == typeof(double) && double.TryParse(text, NumberStyles.Float, invariant, out var number)
                && double.IsFinite(number) ? JsonValue.Create(number)
            : type == typeof(TimeSpan) && TimeSpan.TryParse(text, invariant, out var time) ? JsonValue.Create(time.ToString("c", invariant))
            : null;
    }

    private static string Wrong(string path, string value, string allowed) => $"{path} is '{value}'; allowed: {allowed}.";
}
