using Microsoft.Extensions.Options;

namespace AdaptivePool.Hosting.Configuration;

/// <summary>
/// The switches of the section "AdaptivePool". A type of its own, because the kill switch is asked before anything else in the section is looked at: only its
/// own mistakes are reported here, those of the other switches with the keys of the pool.
/// </summary>
internal sealed class HostingSection(IServiceProvider services) : IConfigureOptions<AdaptivePoolHostingOptions>, IValidateOptions<AdaptivePoolHostingOptions>
{
    // A container without configuration, as tests and tools build it, uses code alone.
    private readonly IConfigurationSection? _section = services.GetService<IConfiguration>()?.GetSection(PoolSection.Name);

    /// <summary>What is wrong with the kill switch; <see langword="null"/> when nothing is.</summary>
    public string? Error => _section is null ? null
        : OptionKeys<AdaptivePoolHostingOptions>.Failures(_section.GetSection(nameof(AdaptivePoolHostingOptions.Enabled))).FirstOrDefault();

    public void Configure(AdaptivePoolHostingOptions options) => OptionKeys<AdaptivePoolHostingOptions>.Apply(options, _section);

    public ValidateOptionsResult Validate(string? name, AdaptivePoolHostingOptions options) =>
        Error is { } error ? ValidateOptionsResult.Fail(error) : ValidateOptionsResult.Success;
}
