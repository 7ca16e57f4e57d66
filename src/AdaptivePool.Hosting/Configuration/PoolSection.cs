using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;

namespace AdaptivePool.Hosting.Configuration;

/// <summary>
/// The section of one pool, "AdaptivePool" or "AdaptivePool:Pools:NAME": fills the options and says what is wrong with them. Written by hand because the
/// framework's binder ignores unknown keys or names only the type that met one, and never the allowed range.
/// </summary>
internal sealed class PoolSection : IConfigureNamedOptions<AdaptivePoolOptions>, IValidateOptions<AdaptivePoolOptions>
{
    public const string Name = "AdaptivePool";
    private const string PoolsKey = "Pools";

    private readonly IServiceProvider _services;
    private readonly IConfigurationSection? _section;
    private readonly string? _poolName;
    private readonly string _path;

    public PoolSection(IServiceProvider services)
        : this(services, null)
    {
    }

    public PoolSection(IServiceProvider services, string? poolName)
    {
        _services = services;
        _poolName = poolName;
        _path = PathOf(poolName);

        // A container without configuration, as tests and tools build it, uses code alone.
        _section = services.GetService<IConfiguration>()?.GetSection(_path);
    }

    public void Configure(AdaptivePoolOptions options) => Configure(Options.DefaultName, options);

    public void Configure(string? name, AdaptivePoolOptions options)
    {
        if (!IsMine(name))
        {
            return;
        }

        // A request that never ends must not keep the process from stopping longer than the host itself would wait for it.
        var shutdown = _services.GetService<IOptions<HostOptions>>()?.Value.ShutdownTimeout ?? Timeout.InfiniteTimeSpan;
        options.DrainTimeout = new AdaptivePoolOptions { DrainTimeout = shutdown }.FindErrors().Count == 0 ? shutdown : Timeout.InfiniteTimeSpan;
        options.Name = _poolName ?? options.Name;

        OptionKeys<AdaptivePoolOptions>.Apply(options, _section);
        if (_section is not null)
        {
            options.HillClimbing = HillClimbingSection.Read(_section.GetSection(HillClimbingSection.Key), out _) ?? options.HillClimbing;
        }
    }

    public ValidateOptionsResult Validate(string? name, AdaptivePoolOptions options)
    {
        // A wrong Enabled is reported by the other options; and the kill switch works whatever else the section says.
        var hosting = _services.GetRequiredService<HostingSection>();
        if (!IsMine(name) || hosting.Error is not null || !_services.GetRequiredService<IOptions<AdaptivePoolHostingOptions>>().Value.Enabled)
        {
            return ValidateOptionsResult.Skip;
        }

        var failures = UnknownKeys().ToList();
        if (_poolName is null && hosting.HubsError is { } hubs)
        {
            failures.Add(hubs);
        }

        if (_section is not null)
        {
            HillClimbingSection.Read(_section.GetSection(HillClimbingSection.Key), out var controller);
            failures.AddRange(controller);
        }

        failures.AddRange(options.FindErrors().Select(failure => $"{_path}:{failure}"));
        return failures.Count == 0 ? ValidateOptionsResult.Success : ValidateOptionsResult.Fail(failures);
    }

    public static string Wrong(string path, string value, string allowed) => $"{path} is '{value}'; allowed: {allowed}.";

    /// <summary>The full key of a setting.</summary>
    /// <param name="poolName">The pool that was added by this name; <see langword="null"/> for the one without.</param>
    /// <param name="setting">The setting.</param>
    public static string KeyOf(string? poolName, string setting) => $"{PathOf(poolName)}:{setting}";

    private static string PathOf(string? poolName) => poolName is null ? Name : $"{Name}:{PoolsKey}:{poolName}";

    private bool IsMine(string? name) => string.Equals(name ?? Options.DefaultName, _poolName ?? Options.DefaultName, StringComparison.Ordinal);

    private IEnumerable<string> UnknownKeys()
    {
        if (_section is null)
        {
            yield break;
        }

        var keys = OptionKeys<AdaptivePoolOptions>.All.Append(HillClimbingSection.Key).ToList();
        if (_poolName is null)
        {
            keys.InsertRange(0, HostingSection.Keys);
            keys.Add(PoolsKey);
        }

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

            if (HostingSection.Keys.Contains(child.Key, StringComparer.OrdinalIgnoreCase))
            {
                foreach (var failure in Nested(child))
                {
                    yield return failure;
                }
            }
            else if (string.Equals(child.Key, PoolsKey, StringComparison.OrdinalIgnoreCase))
            {
                foreach (var failure in UnknownPools(child))
                {
                    yield return failure;
                }
            }
            else if (OptionKeys<AdaptivePoolOptions>.Unreadable(child) is { } unreadable)
            {
                yield return unreadable;
            }
        }
    }

    private static IEnumerable<string> Nested(IConfigurationSection key) =>
        key.GetChildren().Select(nested => Wrong(nested.Path, nested.Value ?? "(a section)", $"one value at {key.Path}, nothing below it"));

    // Names are compared as the configuration compares keys.
    private IEnumerable<string> UnknownPools(IConfigurationSection pools)
    {
        var names = _services.GetServices<NamedPool>().Select(static pool => pool.Name).ToList();
        var allowed = names.Count == 0 ? "nothing, because no named pool was added" : $"the pools {string.Join(", ", names)}";
        return pools.Value is { Length: > 0 } scalar
            ? [Wrong(pools.Path, scalar, allowed)]
            : pools.GetChildren().Where(child => !names.Contains(child.Key, StringComparer.OrdinalIgnoreCase))
                .Select(child => Wrong(child.Path, child.Value ?? "(a section)", allowed));
    }
}
