using System.Diagnostics.Metrics;
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
        options.MeterFactory = _services.GetService<IMeterFactory>();

        if (_section is not null && !IsOff())
        {
            OptionKeys<AdaptivePoolOptions>.Apply(options, _section);
            options.HillClimbing = HillClimbingSection.Read(_section.GetSection(HillClimbingSection.Key), out _) ?? options.HillClimbing;
        }
    }

    public ValidateOptionsResult Validate(string? name, AdaptivePoolOptions options)
    {
        if (!IsMine(name) || IsOff())
        {
            return ValidateOptionsResult.Skip;
        }

        var failures = UnknownKeys().ToList();
        if (_section is not null)
        {
            HillClimbingSection.Read(_section.GetSection(HillClimbingSection.Key), out var controller);
            failures.AddRange(controller);
        }

        failures.AddRange(options.FindErrors().Select(Keyed));
        return failures.Count == 0 ? ValidateOptionsResult.Success : ValidateOptionsResult.Fail(failures);
    }

    /// <summary>The full key of a setting.</summary>
    /// <param name="poolName">The pool that was added by this name; <see langword="null"/> for the one without.</param>
    /// <param name="setting">The setting.</param>
    public static string KeyOf(string? poolName, string setting) => $"{PathOf(poolName)}:{setting}";

    private static string PathOf(string? poolName) => poolName is null ? Name : $"{Name}:{PoolsKey}:{poolName}";

    // The options of an option are keys below its own.
    private string Keyed(string failure)
    {
        string option = failure.Split(' ')[0];
        return $"{_path}:{option.Replace('.', ':')}{failure[option.Length..]}";
    }

    // A wrong Enabled is reported by the other options; and the kill switch works whatever else the section says.
    private bool IsOff() =>
        _services.GetRequiredService<HostingSection>().Error is not null
        || !_services.GetRequiredService<IOptions<AdaptivePoolHostingOptions>>().Value.Enabled;

    private bool IsMine(string? name) => string.Equals(name ?? Options.DefaultName, _poolName ?? Options.DefaultName, StringComparison.Ordinal);

    private IEnumerable<string> UnknownKeys()
    {
        if (_section is null)
        {
            return [];
        }

        string[] keys = [.. OptionKeys<AdaptivePoolOptions>.All, HillClimbingSection.Key];
        keys = _poolName is null ? [.. OptionKeys<AdaptivePoolHostingOptions>.All, .. keys, PoolsKey] : keys;
        return OptionKeys<AdaptivePoolOptions>.Failures(_section, keys, $"a section with the keys {string.Join(", ", keys)}", key =>
            Is(key, HillClimbingSection.Key) ? []
            : Is(key, PoolsKey) ? UnknownPools(key)
            : OptionKeys<AdaptivePoolHostingOptions>.All.Any(it => Is(key, it)) ? OptionKeys<AdaptivePoolHostingOptions>.Failures(key)
            : null);
    }

    // Names are compared as the configuration compares keys.
    private static bool Is(IConfigurationSection key, string name) => string.Equals(key.Key, name, StringComparison.OrdinalIgnoreCase);

    private IEnumerable<string> UnknownPools(IConfigurationSection pools)
    {
        var names = _services.GetServices<NamedPool>().Select(static pool => pool.Name).ToList();
        var allowed = names.Count == 0 ? "nothing, because no named pool was added" : $"the pools {string.Join(", ", names)}";
        return pools.Value is { Length: > 0 } ? [OptionText.Wrong(pools, allowed)]
            : pools.GetChildren().Where(child => !names.Exists(name => Is(child, name))).Select(child => OptionText.Wrong(child, allowed));
    }
}
