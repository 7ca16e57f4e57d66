using AdaptivePool.Control;
using AdaptivePool.SeedWave;
using Microsoft.Extensions.Configuration;

namespace AdaptivePool.Hosting.Configuration;

/// <summary>The section "AdaptivePool:HillClimbing": every option of the controller by its name. Options that are not named keep their defaults.</summary>
internal static class HillClimbingSection
{
    public const string Key = nameof(AdaptivePoolOptions.HillClimbing);
    private const string Seed = nameof(HillClimbingOptions.Seed);
    private static readonly string[] s_keys = [.. OptionKeys<HillClimbingOptions>.All, Seed];

    /// <summary>Reads the section.</summary>
    /// <param name="section">The section; may be absent.</param>
    /// <param name="failures">What is wrong with it: the full key, the value and what is allowed.</param>
    /// <returns>The options; <see langword="null"/> when the section is absent or wrong.</returns>
    public static HillClimbingOptions? Read(IConfigurationSection section, out IReadOnlyList<string> failures)
    {
        failures = [];
        if (!section.Exists())
        {
            return null;
        }

        var options = new HillClimbingOptions { Seed = new SeedWaveOptions() };
        OptionKeys<HillClimbingOptions>.Apply(options, section);
        OptionKeys<SeedWaveOptions>.Apply(options.Seed, section.GetSection(Seed));
        failures = [.. OptionKeys<HillClimbingOptions>.Failures(section, s_keys, "a section with options of the controller", OfSeed)];
        failures = failures.Count > 0 ? failures : OutOfRange(options, section);
        return failures.Count > 0 ? null : options;
    }

    private static string[] OutOfRange(HillClimbingOptions options, IConfigurationSection section)
    {
        try
        {
            options.Validate();
            return [];
        }
        catch (ArgumentOutOfRangeException exception)
        {
            // "Name is value; it must be range. (Parameter ...)": the name is the key.
            var path = s_keys.Contains(exception.ParamName) ? section.Path : section.GetSection(Seed).Path;
            return [$"{path}:{exception.Message.Split(" (Parameter")[0]}"];
        }
    }

    private static IEnumerable<string>? OfSeed(IConfigurationSection key) => !string.Equals(key.Key, Seed, StringComparison.OrdinalIgnoreCase) ? null
        : OptionKeys<SeedWaveOptions>.Failures(
            key, OptionKeys<SeedWaveOptions>.All, "a section with options of the founding document's search", static _ => null);
}
