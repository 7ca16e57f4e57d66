using System.Net;
using AdaptivePool.Balancing.Overload;

namespace AdaptivePool.Hosting;

/// <summary>Settings of a backend that tells balancers its load; see <c>AddLoadReporting()</c>.</summary>
public sealed class LoadReportingOptions
{
    /// <summary>
    /// Names of the balancers that are told the load, as they say them in the request header "AdaptivePool-Balancer": ASCII letters and digits, each name
    /// once. Default: none, and nobody is told. The header is no proof: what keeps clients from asking is that they reach the balancer only.
    /// </summary>
    public IList<string> Balancers { get; } = [];

    /// <summary>How overload is noticed. Default <see cref="OverloadRule.Target"/>.</summary>
    public OverloadRule Rule { get; set; }

    /// <summary>
    /// Average wait of the queued requests above which the backend is overloaded. Default 4 ms; above zero. A higher value uses the backend more
    /// and answers later. Not
    /// used by <see cref="OverloadRule.Growth"/>.
    /// </summary>
    public TimeSpan WaitTarget { get; set; } = new TargetOverloadOptions().Target;

    /// <summary>
    /// Whether the header "endpoint-load-metrics" (ORCA, for Envoy and gRPC) is sent too, with application_utilization: requests in flight over those that the
    /// backend can bear. Only while that is known. Default false.
    /// </summary>
    public bool Orca { get; set; }

    /// <summary>TCP port at which HAProxy's agent check is answered with "up maxconn:N". Default null: none. 1 to 65535.</summary>
    public int? AgentPort { get; set; }

    /// <summary>Address of the agent. Default <see cref="IPAddress.Loopback"/>: HAProxy runs on the same machine.</summary>
    public IPAddress AgentAddress { get; set; } = IPAddress.Loopback;

    /// <summary>What the agent tells while the backend is not overloaded, and never more than this. Default 1,000; at least 1.</summary>
    public int AgentMaxConnections { get; set; } = 1000;
}
