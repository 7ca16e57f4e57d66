using System.Diagnostics.Metrics;
using AdaptivePool.Control;

namespace AdaptivePool.Hosting.Configuration;

/// <summary>
/// The section "AdaptivePool", and "AdaptivePool:Pools:NAME" of each pool that was added by name. Sets the options and reports their errors. The code is
/// written by hand, because the framework's binder ignores unknown keys, or names only the type in which it found one, and never the allowed range.
/// </summary>
internal sealed class PoolSection(IServiceProvider services)
    : IConfigureOptions<AdaptivePoolHostingOptions>,
        IValidateOptions<AdaptivePoolHostingOptions>,
        IConfigureNamedOptions<AdaptivePoolOptions>,
        IPostConfigureOptions<AdaptivePoolOptions>,
        IValidateOptions<AdaptivePoolOptions>
{
    private const string Name = "AdaptivePool";
    private const string Pools = "Pools";
    private const string Controller = nameof(AdaptivePoolOptions.HillClimbing);
    private const string Seed = nameof(HillClimbingOptions.Seed);
    private static readonly string[] s_controllerKeys = [.. OptionKeys<HillClimbingOptions>.All, Seed];

    // The kill switch is read before the rest of the section: while it is wrong or off, only its own errors are reported.
    private string? SwitchFailure =>
        OptionKeys<AdaptivePoolHostingOptions>.Failures(Section(null).GetSection(nameof(AdaptivePoolHostingOptions.Enabled))).FirstOrDefault();

    private bool IsOff => SwitchFailure is not null || !services.GetRequiredService<IOptions<AdaptivePoolHostingOptions>>().Value.Enabled;

    private IEnumerable<string> PoolNames => services.GetServices<NamedPool>().Select(static pool => pool.Name);

    public void Configure(AdaptivePoolHostingOptions options) => OptionKeys<AdaptivePoolHostingOptions>.Apply(options, Section(null));

    public ValidateOptionsResult Validate(string? name, AdaptivePoolHostingOptions options) => OptionText.Result(SwitchFailure is { } failure ? [failure] : []);

    public void Configure(AdaptivePoolOptions options) => Configure(Options.DefaultName, options);

    public void Configure(string? name, AdaptivePoolOptions options)
    {
        if (!IsPool(name))
        {
            return;
        }

        options.Name = string.IsNullOrEmpty(name) ? options.Name : name;
        options.MeterFactory = services.GetService<IMeterFactory>();
        if (IsOff)
        {
            return;
        }

        OptionKeys<AdaptivePoolOptions>.Apply(options, Section(name));
        if (Section(name).GetSection(Controller) is var controller && controller.Exists())
        {
            options.HillClimbing = new() { Seed = new() };
            OptionKeys<HillClimbingOptions>.Apply(options.HillClimbing, controller);
            OptionKeys<SeedWaveOptions>.Apply(options.HillClimbing.Seed, controller.GetSection(Seed));
        }
    }

    // A request that never ends must not keep the process longer than the host waits for it. Where no time is set, the host and all of its pools share the
    // host's time.
    public void PostConfigure(string? name, AdaptivePoolOptions options)
    {
        var shutdown = services.GetService<IOptions<HostOptions>>()?.Value.ShutdownTimeout ?? Timeout.InfiniteTimeSpan;
        if (!IsPool(name) || options.DrainTimeout is not null || new AdaptivePoolOptions { DrainTimeout = shutdown }.FindErrors().Count > 0)
        {
            return;
        }

        options.DrainTimeout = shutdown;
        options.StoppingToken = options.StoppingToken.CanBeCanceled
            ? options.StoppingToken
            : services.GetService<IHostApplicationLifetime>()?.ApplicationStopping ?? CancellationToken.None;
    }

    public ValidateOptionsResult Validate(string? name, AdaptivePoolOptions options) =>
        !IsPool(name) || IsOff ? ValidateOptionsResult.Skip : OptionText.Result([.. Unreadable(name), .. options.FindErrors().Select(it => Keyed(name, it))]);

    /// <summary>Returns the full key of a setting.</summary>
    /// <param name="poolName">The name by which the pool was added; <see langword="null"/> for the pool without a name.</param>
    /// <param name="setting">The setting.</param>
    public static string KeyOf(string? poolName, string setting) =>
        string.IsNullOrEmpty(poolName) ? $"{Name}:{setting}" : $"{Name}:{Pools}:{poolName}:{setting}";

    private IConfigurationSection Section(string? poolName) =>
        OptionText.Section(services, string.IsNullOrEmpty(poolName) ? Name : KeyOf(null, $"{Pools}:{poolName}"));

    // The options of an option are keys below its own.
    private static string Keyed(string? poolName, string failure)
    {
        string option = failure.Split(' ')[0];
        return KeyOf(poolName, option.Replace('.', ':')) + failure[option.Length..];
    }

    private bool IsPool(string? name) => string.IsNullOrEmpty(name) || PoolNames.Contains(name, StringComparer.Ordinal);

    private IEnumerable<string> Unreadable(string? poolName)
    {
        string[] keys = [.. OptionKeys<AdaptivePoolOptions>.All, Controller];
        keys = string.IsNullOrEmpty(poolName) ? [.. OptionKeys<AdaptivePoolHostingOptions>.All, .. keys, Pools] : keys;
        return OptionKeys<AdaptivePoolOptions>.Failures(Section(poolName), keys, $"a section with the keys {string.Join(", ", keys)}", key =>
            Is(key, Controller) ? UnreadableOfController(key)
            : Is(key, Pools) ? OptionText.Unknown(key, [.. PoolNames], "named pool", "pools")
            : OptionKeys<AdaptivePoolHostingOptions>.All.Any(it => Is(key, it)) ? OptionKeys<AdaptivePoolHostingOptions>.Failures(key)
            : null);
    }

    private static IEnumerable<string> UnreadableOfController(IConfigurationSection controller) => OptionKeys<HillClimbingOptions>.Failures(
        controller, s_controllerKeys, "a section with options of the controller", static key => !Is(key, Seed) ? null : OptionKeys<SeedWaveOptions>.Failures(
            key, OptionKeys<SeedWaveOptions>.All, "a section with options of the founding document's search", static _ => null));

    // Names are compared as the configuration compares keys.
    private static bool Is(IConfigurationSection key, string name) => string.Equals(key.Key, name, StringComparison.OrdinalIgnoreCase);
}
