using System.Net;
using AdaptivePool.Balancing;

namespace AdaptivePool.Hosting.Load;

/// <summary>Fails the start for settings of the load report that are out of their ranges.</summary>
internal sealed class LoadReportingValidator : IValidateOptions<LoadReportingOptions>
{
    public ValidateOptionsResult Validate(string? name, LoadReportingOptions options)
    {
        var balancers = options.Balancers;
        var areNames = balancers.All(LoadReport.IsBalancerName)
            && balancers.Distinct(StringComparer.Ordinal).Count() == balancers.Count;
        (bool IsAllowed, string Option, object? Value, string Allowed)[] checks =
        [
            (areNames, nameof(options.Balancers), string.Join(',', balancers), "names of ASCII letters and digits, each once"),
            (Enum.IsDefined(options.Rule), nameof(options.Rule), options.Rule, OptionText.Names(typeof(OverloadRule))),
            (options.WaitTarget > TimeSpan.Zero, nameof(options.WaitTarget), options.WaitTarget, "above zero"),
            (options.AgentPort is null or (>= 1 and <= IPEndPoint.MaxPort), nameof(options.AgentPort), options.AgentPort, $"1 to {IPEndPoint.MaxPort}"),
            (options.AgentAddress is not null, nameof(options.AgentAddress), options.AgentAddress, "an address"),
            (options.AgentMaxConnections >= 1, nameof(options.AgentMaxConnections), options.AgentMaxConnections, "at least 1"),
        ];
        return OptionText.Result(
            [.. checks.Where(static it => !it.IsAllowed).Select(static it => "LoadReporting: " + OptionText.Wrong(it.Option, it.Value ?? "", it.Allowed))]);
    }
}
