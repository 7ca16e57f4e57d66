using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;

namespace AdaptivePool.Hosting.Configuration;

/// <summary>
/// The section "AdaptivePool": fills the options and says what is wrong with them. Written by hand because the framework's binder ignores unknown keys or names only the type that met one, and never the allowed range.
/// </summary>
internal sealed class PoolSection :
    IConfigureOptions<AdaptivePoolHostingOptions>,
    IValidateOptions<AdaptivePoolHostingOptions>,
    IConfigureOptions<AdaptivePoolOptions>,
    IValidateOptions<AdaptivePoolOptions>
{
    public const string Name = "AdaptivePool";

    private readonly IServiceProvider _services;
    private readonly IConfigurationSection? _section;
    private readonly bool? _enabled;
    private readonly string? _enabledError;

    public PoolSection(IServiceProvider services)
    {
        _services = services;

        // A container without configuration, as tests and tools build it, uses code alone.
        _section = services.GetService<IConfiguration>()?.GetSection(Name);
        var key = _section?.GetSection(nameof(AdaptivePoolHostingOptions.Enabled));
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
            _enabledError = Wrong(key.Path, text, "true or false");
        }
    }

    public void Configure(AdaptivePoolHostingOptions options) => options.Enabled = _enabled ?? options.Enabled;

    public ValidateOptionsResult Validate(string? name, AdaptivePoolHostingOptions options) =>
        _enabledError is null ? ValidateOptionsResult.Success : ValidateOptionsResult.Fail(_enabledError);

    public void Configure(AdaptivePoolOptions options)
    {
        // A request that never ends must not keep the process from stopping longer than the host itself would wait for it.
        var shutdown = _services.GetService<IOptions<HostOptions>>()?.Value.ShutdownTimeout ?? Timeout.InfiniteTimeSpan;
        options.DrainTimeout = PoolSettings.IsDrainTimeoutAllowed(shutdown) ? shutdown : Timeout.InfiniteTimeSpan;

        foreach (var setting in PoolSettings.All)
        {
            if (_section?[setting.Key] is { } text)
            {
                setting.TryRead(options, text);
            }
        }

        if (_section is not null)
        {
            options.HillClimbing = HillClimbingSection.Read(_section.GetSection(HillClimbingSection.Key), out _) ?? options.HillClimbing;
        }
    }

    public ValidateOptionsResult Validate(string? name, AdaptivePoolOptions options)
    {
        // A wrong Enabled is reported by the other options; and the kill switch works whatever else the section says.
        if (_enabledError is not null || !_services.GetRequiredService<IOptions<AdaptivePoolHostingOptions>>().Value.Enabled)
        {
            return ValidateOptionsResult.Skip;
        }

        var failures = UnknownKeys().ToList();
        foreach (var setting in PoolSettings.All)
        {
            if (_section?[setting.Key] is { } text && !setting.TryRead(new AdaptivePoolOptions(), text))
            {
                failures.Add(Wrong($"{Name}:{setting.Key}", text, setting.Allowed(options)));
            }
            else if (!setting.IsAllowed(options))
            {
                failures.Add(Wrong($"{Name}:{setting.Key}", setting.Value(options), setting.Allowed(options)));
            }
        }

        if (_section is not null)
        {
            HillClimbingSection.Read(_section.GetSection(HillClimbingSection.Key), out var controller);
            failures.AddRange(controller);
        }

        // What code has set is checked as the pool would.
        failures.AddRange(AdaptivePoolOptionsValidator.Validate(new AdaptivePoolOptions { HillClimbing = options.HillClimbing }).Select(static failure => $"{Name}:{failure}"));
        return failures.Count == 0 ? ValidateOptionsResult.Success : ValidateOptionsResult.Fail(failures);
    }

    private IEnumerable<string> UnknownKeys()
    {
        if (_section is null)
        {
            yield break;
        }

        var keys = PoolSettings.All.Select(static setting => setting.Key).Prepend(nameof(AdaptivePoolHostingOptions.Enabled)).Append(HillClimbingSection.Key).ToList();
        if (_section.Value is { Length: > 0 } scalar)
        {
            yield return Wrong(_section.Path, scalar, $"a section with the keys {string.Join(", ", keys)}");
        }

        foreach (var child in _section.GetChildren())
        {
            if (!keys.Contains(child.Key, StringComparer.OrdinalIgnoreCase))
            {
                yield return Wrong(child.Path, child.Value ?? "(a section)", $"the keys {string.Join(", ", keys)}");
                continue;
            }

            if (string.Equals(child.Key, HillClimbingSection.Key, StringComparison.OrdinalIgnoreCase))
            {
                continue;
            }

            foreach (var nested in child.GetChildren())
            {
                yield return Wrong(nested.Path, nested.Value ?? "(a section)", $"one value at {child.Path}, nothing below it");
            }
        }
    }

    private static string Wrong(string path, string value, string allowed) => $"{path} is '{value}'; allowed: {allowed}.";
}
