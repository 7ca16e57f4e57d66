using AdaptivePool.Balancing.Overload;
using Yarp.ReverseProxy.Transforms;
using Yarp.ReverseProxy.Transforms.Builder;

namespace AdaptivePool.Yarp;

/// <summary>Adds the balancer's name to requests, reads the load reports in the responses of backends, and hides both from clients.</summary>
/// <param name="balancers">The balancers of the clusters.</param>
/// <param name="metrics">The metrics of the proxy.</param>
/// <param name="monitor">The monitor of a proxy that is itself a backend of another one: it knows which balancers get the proxy's load. Null
/// otherwise.</param>
internal sealed class LoadTransforms(ClusterBalancers balancers, ProxyMetrics metrics, OverloadMonitor? monitor = null)
{
    private const string OrcaHeader = "endpoint-load-metrics";

    private static readonly string[] s_own = [LoadReport.HeaderName, LoadReport.BalancerHeaderName];

    public void Apply(TransformBuilderContext context)
    {
        context.AddRequestTransform(Ask);
        context.AddResponseTransform(Take);
    }

    private ValueTask Ask(RequestTransformContext context)
    {
        foreach (string header in s_own)
        {
            if (context.ProxyRequest.Headers.Remove(header) && !(header == LoadReport.BalancerHeaderName && IsOfKnown(context.HttpContext)))
            {
                metrics.CountForged();
            }
        }

        if (balancers.Find(context.HttpContext) is not null)
        {
            context.ProxyRequest.Headers.Add(LoadReport.BalancerHeaderName, balancers.Options.BalancerName);
        }

        return default;
    }

    private bool IsOfKnown(HttpContext context) =>
        monitor is not null && context.Request.Headers[LoadReport.BalancerHeaderName] is [{ } name] && monitor.Knows(name);

    private ValueTask Take(ResponseTransformContext context)
    {
        if (context.ProxyResponse is { } response)
        {
            Take(context.HttpContext, response);
        }

        context.HttpContext.Response.Headers.Remove(LoadReport.HeaderName);
        context.HttpContext.Response.Headers.Remove(OrcaHeader);
        return default;
    }

    private void Take(HttpContext context, HttpResponseMessage response)
    {
        IReverseProxyFeature feature = context.GetReverseProxyFeature();
        response.Headers.TryGetValues(GrpcStatus.HeaderName, out IEnumerable<string>? grpc);
        ClusterBalancer.Answer(context, GrpcStatus.ToHttp((int)response.StatusCode, grpc?.FirstOrDefault()));
        if (!response.Headers.TryGetValues(LoadReport.HeaderName, out IEnumerable<string>? values) || feature.ProxiedDestination is not { } destination)
        {
            return;
        }

        if (balancers.Find(context) is { } balancer)
        {
            // Several headers are not a valid report.
            balancer.TakeReport(context, destination, string.Join(',', values));
        }
        else
        {
            // No balancer has asked for it.
            metrics.CountUnasked(feature.Cluster.Config.ClusterId);
        }
    }
}
