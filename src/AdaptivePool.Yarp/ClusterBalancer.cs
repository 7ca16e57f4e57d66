using System.Runtime.CompilerServices;
using AdaptivePool.Balancing;
using Microsoft.AspNetCore.Http;
using Yarp.ReverseProxy.Forwarder;
using Yarp.ReverseProxy.Model;

namespace AdaptivePool.Yarp;

/// <summary>The balancer of one cluster.</summary>
internal sealed class ClusterBalancer
{
    /// <summary>How long a destination that refuses connections is left alone, where others do not.</summary>
    private static readonly TimeSpan s_downTime = TimeSpan.FromSeconds(1);

    private readonly BackendPicker _picker;
    private readonly ConditionalWeakTable<DestinationState, KnownDestination> _known = [];
    private readonly ProxyMetrics _metrics;

    public ClusterBalancer(string cluster, string policy, IBalancer balancer, ProxyMetrics metrics)
    {
        (Cluster, Policy, _metrics) = (cluster, policy, metrics);
        _picker = new BackendPicker(balancer);
    }

    public string Cluster { get; }

    public string Policy { get; }

    /// <summary>What is known of a destination.</summary>
    public BackendState State(DestinationState destination) => Known(destination).State;

    /// <summary>Chooses at once; null answers the request with 503.</summary>
    public DestinationState? Pick(HttpContext context, IReadOnlyList<DestinationState> available)
    {
        available = Usable(available);
        return Take(context, available, _picker.Pick(States(available)));
    }

    /// <summary>Chooses, and waits while all are at their limit.</summary>
    public async ValueTask<DestinationState?> PickAsync(HttpContext context, IReadOnlyList<DestinationState> available, CollaborativeProxyOptions options)
    {
        available = Usable(available);
        return Take(context, available, await _picker.PickAsync(States(available), options.MostWait, options.MostWaiting, context.RequestAborted));
    }

    /// <summary>Takes what has come in the header of an answer.</summary>
    public void TakeReport(DestinationState destination, string text) => _metrics.CountReport(Cluster, _picker.Take(State(destination), text));

    /// <summary>Whether the request was not sent because its destination could not be connected to. That one is left alone for a while.</summary>
    public bool EndUnsent(HttpContext context)
    {
        if (context.Features.Get<SentRequest>() is not { IsEnded: false } sent || !IsUnsent(context))
        {
            return false;
        }

        End(context, sent);
        return true;
    }

    private KnownDestination Known(DestinationState destination)
    {
        if (_known.TryGetValue(destination, out KnownDestination? known))
        {
            return known;
        }

        // Of several that come first one makes it: a second one that the metrics watch would be nobody's.
        lock (_known)
        {
            if (!_known.TryGetValue(destination, out KnownDestination? made))
            {
                made = new KnownDestination(new BackendState(destination.DestinationId, _picker.Now));
                _known.Add(destination, made);
                _metrics.Watch(Cluster, made.State);
            }

            return made;
        }
    }

    /// <summary>The destinations that could be connected to lately; all of them where none could. One that refuses at once has the least work of all, and
    /// would be everybody's first choice.</summary>
    private IReadOnlyList<DestinationState> Usable(IReadOnlyList<DestinationState> available)
    {
        TimeSpan now = _picker.Now;
        for (int i = 0; i < available.Count; i++)
        {
            if (Known(available[i]).IsDown(now))
            {
                DestinationState[] up = [.. available.Where(destination => !Known(destination).IsDown(now))];
                return up.Length > 0 ? up : available;
            }
        }

        return available;
    }

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
        SentRequest sent = new(Known(destination), _picker.Now);
        context.Features.Set(sent);
        context.Response.OnCompleted(() =>
        {
            End(context, sent);
            return Task.CompletedTask;
        });
        return destination;
    }

    private void End(HttpContext context, SentRequest sent)
    {
        if (sent.IsEnded)
        {
            return;
        }

        sent.IsEnded = true;

        // 5xx of the proxy itself says nothing about how fast the backend is.
        bool isProxys = context.Response.StatusCode is StatusCodes.Status502BadGateway or StatusCodes.Status504GatewayTimeout;
        _picker.End(sent.Destination.State, isProxys ? null : _picker.Now - sent.At);
        if (IsUnsent(context))
        {
            sent.Destination.DownUntil = _picker.Now + s_downTime;
        }
        else if (!isProxys && sent.Destination.DownUntil is not null)
        {
            sent.Destination.DownUntil = null;
            _picker.Restart(sent.Destination.State);
        }
    }

    private static bool IsUnsent(HttpContext context) =>
        context.GetForwarderErrorFeature() is { Error: ForwarderError.Request, Exception: HttpRequestException exception }
            && exception.HttpRequestError is HttpRequestError.ConnectionError or HttpRequestError.NameResolutionError;
}
