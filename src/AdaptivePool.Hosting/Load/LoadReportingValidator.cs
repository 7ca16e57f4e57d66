using System.Net;
using System.Net.Sockets;
using AdaptivePool.Balancing;

namespace AdaptivePool.Hosting.Load;

/// <summary>Fails the start for settings of the load report that are out of their ranges.</summary>
internal sealed class LoadReportingValidator : IValidateOptions<LoadReportingOptions>
{
    private const byte FirstOfMany = 224;

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
            (options.AgentAddress is { } address && !IsOfMany(address), nameof(options.AgentAddress), options.AgentAddress, "an address of this machine"),
            (options.AgentMaxConnections >= 1, nameof(options.AgentMaxConnections), options.AgentMaxConnections, "at least 1"),
        ];
        return OptionText.Result(
            [.. checks.Where(static it => !it.IsAllowed).Select(static it => "LoadReporting: " + OptionText.Wrong(it.Option, it.Value ?? "", it.Allowed))]);
    }

    // Multicast, broadcast and reserved addresses: the system listens there, but no client can connect. IPAddress.None is one of them.
    private static bool IsOfMany(IPAddress address) =>
        address.IsIPv4MappedToIPv6 ? IsOfMany(address.MapToIPv4())
            : address.IsIPv6Multicast || (address.AddressFamily == AddressFamily.InterNetwork && address.GetAddressBytes()[0] >= FirstOfMany);
}
