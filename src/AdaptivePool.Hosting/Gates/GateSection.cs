using System.Diagnostics.Metrics;

namespace AdaptivePool.Hosting.Gates;

/// <summary>
/// The section "TransactionGates": one section for each gate. Written by hand for the same reason as the pool's: the framework's binder ignores unknown keys
/// and never names what is allowed.
/// </summary>
internal sealed class GateSection(IServiceProvider services, GateCatalog catalog)
    : IConfigureNamedOptions<TransactionGateOptions>, IValidateOptions<TransactionGateOptions>
{
    public const string Name = "TransactionGates";

    /// <summary>The one key that is a section of its own.</summary>
    private const string Weights = nameof(TransactionGateOptions.GroupWeights);

    /// <summary>The name of a gate is that of its section.</summary>
    private static readonly string[] s_keys =
        [.. OptionKeys<TransactionGateOptions>.All.Where(static key => key != nameof(TransactionGateOptions.Name)), Weights];

    private readonly IConfigurationSection _section = OptionText.Section(services, Name);

    public void Configure(TransactionGateOptions options) => Configure(Options.DefaultName, options);

    public void Configure(string? name, TransactionGateOptions options)
    {
        if (string.IsNullOrEmpty(name))
        {
            // Options without a name belong to no gate.
            return;
        }

        options.MeterFactory = services.GetService<IMeterFactory>();
        OptionKeys<TransactionGateOptions>.Apply(options, _section.GetSection(name));
        options.Name = name;
        foreach (var weight in _section.GetSection(name).GetSection(Weights).GetChildren())
        {
            if (TryReadWeight(weight) is { } value)
            {
                options.GroupWeights[weight.Key] = value;
            }
        }
    }

    // Keys that belong to no gate are reported by the options without a name, because there may be no other options.
    public ValidateOptionsResult Validate(string? name, TransactionGateOptions options) => OptionText.Result(
        string.IsNullOrEmpty(name)
            ? [.. OptionText.Unknown(_section, catalog.Names, "gate", "gates")]
            : [.. Unreadable(name), .. options.FindErrors().Select(failure => $"{Name}:{name}:{failure}")]);

    private IEnumerable<string> Unreadable(string name) =>
        OptionKeys<TransactionGateOptions>.Failures(_section.GetSection(name), s_keys, "a section with options of the gate", static key =>
            string.Equals(key.Key, Weights, StringComparison.OrdinalIgnoreCase) ? UnreadableWeights(key) : null);

    private static int? TryReadWeight(IConfigurationSection weight) =>
        OptionText.TryRead(typeof(int), weight.Value ?? "", out var value) ? (int)value! : null;

    private static IEnumerable<string> UnreadableWeights(IConfigurationSection weights) =>
    [
        .. weights.Value is { Length: > 0 } ? [OptionText.Wrong(weights, "a section with a weight for each partition")] : Array.Empty<string>(),
        .. weights.GetChildren().Where(static weight => TryReadWeight(weight) is null).Select(static weight => OptionText.Wrong(weight, "a whole number")),
    ];
}
