using AdaptivePool.Control;

namespace AdaptivePool.Hosting.Configuration;

/// <summary>The section "AdaptivePool:HillClimbing": every option of the controller by its name. Options that are not named keep their defaults.</summary>
internal static class HillClimbingSection
{
    public const string Key = nameof(AdaptivePoolOptions.HillClimbing);
    private const string Seed = nameof(HillClimbingOptions.Seed);
    private static readonly string[] s_keys = [.. OptionKeys<HillClimbingOptions>.All, Seed];

    /// <summary>Reads the section.</summary>
    /// <param name="section">The section; may be absent.</param>
    /// <param name="failures">What cannot be read: the full key, the value and what is allowed.</param>
    /// <returns>The options, whether in range or not; <see langword="null"/> when the section is absent or something cannot be read.</returns>
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
        return failures.Count > 0 ? null : options;
    }

    private static IEnumerable<string>? OfSeed(IConfigurationSection key) => !string.Equals(key.Key, Seed, StringComparison.OrdinalIgnoreCase) ? null
        : OptionKeys<SeedWaveOptions>.Failures(
            key, OptionKeys<SeedWaveOptions>.All, "a section with options of the founding document's search", static _ => null);
}
