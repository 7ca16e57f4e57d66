using AdaptivePool.Admission;
using AdaptivePool.Hosting.Configuration;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;

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
    private static readonly string[] s_keys = [.. OptionKeys<TransactionGateOptions>.All.Where(static key => key != nameof(TransactionGateOptions.Name))];

    // A container without configuration, as tests and tools build it, uses code alone.
    private readonly IConfigurationSection? _section = services.GetService<IConfiguration>()?.GetSection(Name);

    public void Configure(TransactionGateOptions options)
    {
        // Options without a name belong to no gate.
    }

    public void Configure(string? name, TransactionGateOptions options)
    {
        if (string.IsNullOrEmpty(name))
        {
            return;
        }

        options.Name = name;
        OptionKeys<TransactionGateOptions>.Apply(options, _section?.GetSection(name), leftOut: nameof(TransactionGateOptions.Name));
        foreach (var weight in _section?.GetSection(name).GetSection(Weights).GetChildren() ?? [])
        {
            if (TryReadWeight(weight) is { } value)
            {
                options.GroupWeights[weight.Key] = value;
            }
        }
    }

    public ValidateOptionsResult Validate(string? name, TransactionGateOptions options)
    {
        if (string.IsNullOrEmpty(name))
        {
            return ValidateOptionsResult.Skip;
        }

        List<string> failures = [.. Unreadable(name), .. options.FindErrors().Select(failure => $"{Name}:{name}:{failure}")];

        // Reported once, by the first gate.
        if (catalog.Names[0] == name)
        {
            failures.AddRange(UnknownGates());
        }

        return failures.Count == 0 ? ValidateOptionsResult.Success : ValidateOptionsResult.Fail(failures);
    }

    private IEnumerable<string> Unreadable(string name)
    {
        var section = _section?.GetSection(name);
        if (section is null)
        {
            yield break;
        }

        if (section.Value is { Length: > 0 } scalar)
        {
            yield return Wrong(section.Path, scalar, "a section with options of the gate");
        }

        foreach (var child in section.GetChildren())
        {
            if (string.Equals(child.Key, Weights, StringComparison.OrdinalIgnoreCase))
            {
                foreach (var failure in UnreadableWeights(child))
                {
                    yield return failure;
                }
            }
            else if (!s_keys.Contains(child.Key, StringComparer.OrdinalIgnoreCase))
            {
                yield return Wrong(child.Path, child.Value ?? "(a section)", $"the keys {string.Join(", ", s_keys.Append(Weights))}");
            }
            else if (OptionKeys<TransactionGateOptions>.Unreadable(child) is { } unreadable)
            {
                yield return unreadable;
            }
        }
    }

    private static int? TryReadWeight(IConfigurationSection weight) =>
        OptionText.TryRead(typeof(int), weight.Value ?? "", out var value) ? (int)value! : null;

    private static IEnumerable<string> UnreadableWeights(IConfigurationSection section)
    {
        if (section.Value is { Length: > 0 } scalar)
        {
            yield return Wrong(section.Path, scalar, "a section with a weight for each partition");
        }

        foreach (var weight in section.GetChildren())
        {
            if (TryReadWeight(weight) is null)
            {
                yield return Wrong(weight.Path, weight.Value ?? "(a section)", "a whole number");
            }
        }
    }

    private IEnumerable<string> UnknownGates() =>
        _section?.GetChildren()
            .Where(child => !catalog.Names.Contains(child.Key, StringComparer.OrdinalIgnoreCase))
            .Select(child => Wrong(child.Path, child.Value ?? "(a section)", $"the gates {string.Join(", ", catalog.Names)}")) ?? [];

    private static string Wrong(string path, string value, string allowed) => $"{path} is '{value}'; allowed: {allowed}.";
}
