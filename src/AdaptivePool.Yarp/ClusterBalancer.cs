using System.Runtime.CompilerServices;
using AdaptivePool.Balancing;
using Microsoft.AspNetCore.Http;
using Yarp.ReverseProxy.Model;

namespace AdaptivePool.Yarp;

/// <summary>The balancer of one cluster.</summary>
internal sealed class ClusterBalancer
{
    private readonly BackendPicker _picker;
    private readonly ConditionalWeakTable<DestinationState, BackendState> _states = [];
    private readonly ProxyMetrics _metrics;

    public ClusterBalancer(string cluster, string policy, IBalancer balancer, ProxyMetrics metrics)
    {
        (Cluster, Policy, _metrics) = (cluster, policy, metrics);
        _picker = new BackendPicker(balancer);
    }

    public string Cluster { get; }

    public string Policy { get; }

    /// <summary>What is known of a destination.</summary>
    public BackendState State(DestinationState destination)
    {
        if (_states.TryGetValue(destination, out BackendState? known))
        {
            return known;
        }

        // Of several that come first one makes it: a second one that the metrics watch would be nobody's.
        lock (_states)
        {
            if (!_states.TryGetValue(destination, out BackendState? state))
            {
                state = new BackendState(destination.DestinationId, _picker.Now);
                _states.Add(destination, state);
                _metrics.Watch(Cluster, state);
            }

            return state;
        }
    }

    /// <summary>Chooses at once; null answers the request with 503.</summary>
    public DestinationState? Pick(HttpContext context, IReadOnlyList<DestinationState> available) =>
        Take(context, available, _picker.Pick(States(available)));

    /// <summary>Chooses, and waits while all are at their limit.</summary>
    public async ValueTask<DestinationState?> PickAsync(HttpContext context, IReadOnlyList<DestinationState> available, CollaborativeProxyOptions options) =>
        Take(context, available, await _picker.PickAsync(States(available), options.MostWait, options.MostWaiting, context.RequestAborted));

    /// <summary>Takes what has come in the header of an answer.</summary>
    public void TakeReport(DestinationState destination, string text) => _metrics.CountReport(Cluster, _picker.Take(State(destination), text));

    private BackendState[] States(IReadOnlyList<DestinationState> available)
    {
        BackendState[] states = new BackendState[available.Count];
        for (int i = 0; i < states.Length; i++)
        {
            states[i] = State(available[i]);
        }

        return states;
    }

    private DestinationState? Take(HttpContext context, IReadOnlyList<DestinationState> available, BalancerChoice choice)
    {
        if (!choice.IsChosen)
        {
            if (available.Count > 0)
            {
                _metrics.CountShed(Cluster);
                context.Response.Headers.RetryAfter = Math.Max(1, Math.Ceiling(choice.RetryAfter.TotalSeconds))
                    .ToString(System.Globalization.CultureInfo.InvariantCulture);
            }

            return null;
        }

        DestinationState destination = available[choice.Index];
        BackendState state = State(destination);
        TimeSpan sentAt = _picker.Now;
        context.Response.OnCompleted(() =>
        {
            // 5xx of the proxy itself says nothing about how fast the backend is.
            _picker.End(
                state,
                context.Response.StatusCode is StatusCodes.Status502BadGateway or StatusCodes.Status504GatewayTimeout ? null : _picker.Now - sentAt);
            return Task.CompletedTask;
        });
        return destination;
    }
}
