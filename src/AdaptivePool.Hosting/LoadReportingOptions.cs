using System.Net;
using AdaptivePool.Balancing.Overload;

namespace AdaptivePool.Hosting;

/// <summary>Settings of a backend that reports its load to balancers; see <c>AddLoadReporting()</c>.</summary>
public sealed class LoadReportingOptions
{
    /// <summary>
    /// The names of the balancers that get the load, as they send them in the request header "AdaptivePool-Balancer": ASCII letters and digits, each name once.
    /// Default: none, and no balancer gets the load. The header proves nothing. Clients cannot request the load only if they can reach nothing but the
    /// balancer.
    /// </summary>
    public IList<string> Balancers { get; } = [];

    /// <summary>The rule that detects overload. Default <see cref="OverloadRule.Target"/>.</summary>
    public OverloadRule Rule { get; set; }

    /// <summary>
    /// The average wait of the queued requests above which the backend is overloaded. Where more requests have begun since the last look than wait, these must
    /// have waited for as long on average. Default 4 ms; above zero. A higher value uses the backend more and makes responses later. Not used by
    /// <see cref="OverloadRule.Growth"/>.
    /// </summary>
    public TimeSpan WaitTarget { get; set; } = new TargetOverloadOptions().Target;

    /// <summary>
    /// Whether the backend also sends the header "endpoint-load-metrics" (ORCA, for Envoy and gRPC) with application_utilization: the requests in flight
    /// divided by the number that the backend can bear. The header is sent only while that number is known. Default false.
    /// </summary>
    public bool Orca { get; set; }

    /// <summary>The TCP port on which the backend answers HAProxy's agent check with "up maxconn:N". Default null: none. 1 to 65535.</summary>
    public int? AgentPort { get; set; }

    /// <summary>
    /// The address of the agent. Default <see cref="IPAddress.Loopback"/>: HAProxy runs on the same machine. An address of this machine;
    /// <see cref="IPAddress.IPv6Any"/> for all of them, those of IPv4 too.
    /// </summary>
    public IPAddress AgentAddress { get; set; } = IPAddress.Loopback;

    /// <summary>
    /// The number that the agent reports while the backend is not overloaded. The agent never reports more than this. Default 1,000; at least 1.
    /// </summary>
    public int AgentMaxConnections { get; set; } = 1000;
}
