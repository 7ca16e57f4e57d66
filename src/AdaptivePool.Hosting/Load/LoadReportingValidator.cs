using System.Net;
using AdaptivePool.Hosting.Configuration;
using Microsoft.Extensions.Options;

namespace AdaptivePool.Hosting.Load;

/// <summary>Fails the start for settings of the load report that are out of their ranges.</summary>
internal sealed class LoadReportingValidator : IValidateOptions<LoadReportingOptions>
{
    public ValidateOptionsResult Validate(string? name, LoadReportingOptions options)
    {
        var balancers = options.Balancers;
        var areNames = balancers.All(static it => !string.IsNullOrEmpty(it) && it.All(char.IsAsciiLetterOrDigit))
            && balancers.Distinct(StringComparer.Ordinal).Count() == balancers.Count;
        (bool IsAllowed, string Failure)[] checks =
        [
            (areNames, $"Balancers is '{string.Join(',', balancers)}'; allowed: names of ASCII letters and digits, each once."),
            (Enum.IsDefined(options.Rule), $"Rule is '{options.Rule}'; allowed: Target or Growth."),
            (options.WaitTarget > TimeSpan.Zero, $"WaitTarget is '{options.WaitTarget}'; allowed: above zero."),
            (options.AgentPort is null or (>= 1 and <= IPEndPoint.MaxPort), $"AgentPort is '{options.AgentPort}'; allowed: 1 to 65535."),
            (options.AgentAddress is not null, "AgentAddress is null; allowed: an address."),
            (options.AgentMaxConnections >= 1, $"AgentMaxConnections is '{options.AgentMaxConnections}'; allowed: at least 1."),
        ];
        return OptionText.Result([.. checks.Where(static it => !it.IsAllowed).Select(static it => $"LoadReporting: {it.Failure}")]);
    }
}
