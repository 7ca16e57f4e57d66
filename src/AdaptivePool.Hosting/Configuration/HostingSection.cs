using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;

namespace AdaptivePool.Hosting.Configuration;

/// <summary>
/// The switches of the section "AdaptivePool". A type of its own, because the kill switch is asked before anything else in the section is looked at.
/// </summary>
internal sealed class HostingSection : IConfigureOptions<AdaptivePoolHostingOptions>, IValidateOptions<AdaptivePoolHostingOptions>
{
    private readonly bool? _enabled;
    private readonly bool? _hubs;

    public HostingSection(IServiceProvider services)
    {
        // A container without configuration, as tests and tools build it, uses code alone.
        var section = services.GetService<IConfiguration>()?.GetSection(PoolSection.Name);
        _enabled = Read(section, nameof(AdaptivePoolHostingOptions.Enabled), out var error);
        Error = error;
        _hubs = Read(section, nameof(AdaptivePoolHostingOptions.Hubs), out error);
        HubsError = error;
    }

    /// <summary>The keys of the switches.</summary>
    public static IReadOnlyList<string> Keys { get; } = [nameof(AdaptivePoolHostingOptions.Enabled), nameof(AdaptivePoolHostingOptions.Hubs)];

    /// <summary>What is wrong with the kill switch; <see langword="null"/> when nothing is.</summary>
    public string? Error { get; }

    /// <summary>
    /// What is wrong with the switch of hubs; reported with the mistakes of the pool's own keys, because it matters only while the pool is on.
    /// </summary>
    public string? HubsError { get; }

    public void Configure(AdaptivePoolHostingOptions options)
    {
        options.Enabled = _enabled ?? options.Enabled;
        options.Hubs = _hubs ?? options.Hubs;
    }

    public ValidateOptionsResult Validate(string? name, AdaptivePoolHostingOptions options) =>
        Error is null ? ValidateOptionsResult.Success : ValidateOptionsResult.Fail(Error);

    private static bool? Read(IConfigurationSection? section, string key, out string? error)
    {
        error = null;
        if (section?[key] is not { } text)
        {
            return null;
        }

        if (bool.TryParse(text, out var value))
        {
            return value;
        }

        error = PoolSection.Wrong($"{section.Path}:{key}", text, "true or false");
        return null;
    }
}
