using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;

namespace AdaptivePool.Hosting.Configuration;

/// <summary>The kill switch of the section "AdaptivePool". A type of its own, because it is asked before anything else in the section is looked at.</summary>
internal sealed class HostingSection : IConfigureOptions<AdaptivePoolHostingOptions>, IValidateOptions<AdaptivePoolHostingOptions>
{
    private readonly bool? _enabled;

    public HostingSection(IServiceProvider services)
    {
        // A container without configuration, as tests and tools build it, uses code alone.
        var key = services.GetService<IConfiguration>()?.GetSection($"{PoolSection.Name}:{nameof(AdaptivePoolHostingOptions.Enabled)}");
        if (key?.Value is not { } text)
        {
            return;
        }

        if (bool.TryParse(text, out var enabled))
        {
            _enabled = enabled;
        }
        else
        {
            Error = PoolSection.Wrong(key.Path, text, "true or false");
        }
    }

    /// <summary>What is wrong with the switch; <see langword="null"/> when nothing is.</summary>
    public string? Error { get; }

    public void Configure(AdaptivePoolHostingOptions options) => options.Enabled = _enabled ?? options.Enabled;

    public ValidateOptionsResult Validate(string? name, AdaptivePoolHostingOptions options) =>
        Error is null ? ValidateOptionsResult.Success : ValidateOptionsResult.Fail(Error);
}
