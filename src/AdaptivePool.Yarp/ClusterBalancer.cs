using System.Runtime.CompilerServices;
using Microsoft.AspNetCore.Http.Features;
using Yarp.ReverseProxy.Forwarder;

namespace AdaptivePool.Yarp;

/// <summary>The balancer of one cluster.</summary>
internal sealed class ClusterBalancer
{
    /// <summary>How long a destination that cannot be connected to is left alone, where others can.</summary>
    private static readonly TimeSpan s_downTime = TimeSpan.FromSeconds(1);

    private readonly BackendPicker _picker;
    private readonly ClusterState _cluster;
    private readonly ConditionalWeakTable<DestinationState, Known> _known = [];
    private readonly ProxyMetrics _metrics;
    private readonly ProxyLog _log;

    /// <summary>How long a point counts that its destination does not repeat; <see langword="null"/> for ever.</summary>
    private readonly TimeSpan? _pointLifetime;

    /// <summary>What is known of the destinations that the cluster has now. A reader of an earlier one makes its own, so it pairs with nothing.</summary>
    private volatile ClusterStates? _states;

    public ClusterBalancer(ClusterState cluster, string policy, IBalancer balancer, TimeSpan? pointLifetime, ProxyMetrics metrics, ProxyLog log)
    {
        (_cluster, Policy, _pointLifetime, _metrics, _log) = (cluster, policy, pointLifetime, metrics, log);
        _picker = new BackendPicker(balancer);
    }

    public string Cluster => _cluster.ClusterId;

    public string Policy { get; }

    /// <summary>What is known of the destinations that the configuration has now, as far as any has been chosen among.</summary>
    public IEnumerable<BackendState> Destinations => _cluster.DestinationsState.AllDestinations
        .Select(it => _known.TryGetValue(it, out Known? known) ? known.State : null).OfType<BackendState>();

    /// <summary>The point of a destination as far as it still counts: the balancer forgets one only when it chooses among it.</summary>
    public OverloadPoint? PointOf(BackendState destination) =>
        destination.HasExpired(_picker.Now, _pointLifetime) ? null : destination.Point;

    /// <summary>Chooses at once; null answers the request with 503.</summary>
    public DestinationState? Pick(HttpContext context, IReadOnlyList<DestinationState> available)
    {
        BackendState[] states = States(available);
        return Take(context, available, states, _picker.Pick(states), isAskedByYarp: true);
    }

    /// <summary>Chooses, and waits while all are at their limit.</summary>
    public async ValueTask<DestinationState?> PickAsync(HttpContext context, IReadOnlyList<DestinationState> available, CollaborativeProxyOptions options)
    {
        BackendState[] states = States(available);
        BalancerChoice choice = await _picker.PickAsync(states, options.MostWait, options.MostWaiting, context.RequestAborted);
        return Take(context, available, states, choice, isAskedByYarp: false);
    }

    /// <summary>A destination has begun to answer a request.</summary>
    public static void Answer(HttpContext context, int status)
    {
        if (context.Features.Get<SentRequest>() is { IsEnded: false } sent)
        {
            (sent.Status, sent.AnsweredAt) = (status, sent.Balancer._picker.Now);
            sent.Balancer._picker.Answer(sent.Destination, status);
        }
    }

    /// <summary>Takes what has come in the header of an answer.</summary>
    public void TakeReport(HttpContext context, DestinationState destination, string text)
    {
        BackendState state = context.Features.Get<SentRequest>() is { } sent && sent.Balancer == this ? sent.Destination : State(destination);
        _metrics.CountReport(Cluster, _picker.Take(state, text));
    }

    /// <summary>The proxy has done with a request, as far as one is under way.</summary>
    /// <returns>Whether it was not sent because its destination could not be connected to, so that another one may have it. That one is left alone for a
    /// while.</returns>
    public static bool End(HttpContext context)
    {
        if (context.Features.Get<SentRequest>() is not { IsEnded: false } sent)
        {
            return false;
        }

        sent.Balancer.End(context, sent);
        return IsUnsent(context, sent) && (!IsSilent(context) || IsSafe(context.Request));
    }

    /// <summary>Whether something timed out that is not the proxy's: the connect timeout of the handler behind, or, as nobody can tell, a timeout of another
    /// one after the request had been sent.</summary>
    public static bool IsSilent(HttpContext context) =>
        context.GetForwarderErrorFeature() is
        {
            Error: ForwarderError.Request or ForwarderError.RequestTimedOut, Exception: OperationCanceledException { InnerException: TimeoutException },
        };

    /// <summary>What is known of a destination. One that has another address now is another machine: nothing that is known holds of it.</summary>
    private BackendState State(DestinationState destination)
    {
        if (_known.TryGetValue(destination, out Known? known) && known.Address == destination.Model.Config.Address)
        {
            return known.State;
        }

        // Of several that come first one makes it: what another one counts would be nobody's. The address is read inside: whoever has read it
        // before it changed would put back the machine before.
        lock (_known)
        {
            string address = destination.Model.Config.Address;
            if (!_known.TryGetValue(destination, out known) || known.Address != address)
            {
                known = new Known(address, new BackendState(destination.DestinationId, _picker.Now));
                _known.AddOrUpdate(destination, known);
            }

            return known.State;
        }
    }

    private BackendState[] States(IReadOnlyList<DestinationState> available)
    {
        // The list of YARP itself, which makes another one when a destination, its address or its health changes; a middleware may have changed its own one.
        // Kept, because there may be thousands.
        bool isOwn = ReferenceEquals(available, _cluster.DestinationsState.AvailableDestinations);
        if (isOwn && _states is { } kept && ReferenceEquals(kept.Destinations, available))
        {
            return kept.States;
        }

        BackendState[] states = [.. available.Select(State)];
        _states = isOwn ? new ClusterStates(available, states) : _states;
        return states;
    }

    private DestinationState? Take(
        HttpContext context, IReadOnlyList<DestinationState> available, BackendState[] states, BalancerChoice choice, bool isAskedByYarp)
    {
        if (!choice.IsChosen)
        {
            if (available.Count > 0)
            {
                double seconds = Math.Max(1, Math.Ceiling(choice.RetryAfter.TotalSeconds));
                _metrics.CountShed(Cluster);
                _log.LogRefused(Cluster, available.Count, seconds);
                context.Response.Headers.RetryAfter = seconds.ToString(System.Globalization.CultureInfo.InvariantCulture);
            }

            return null;
        }

        // Who sends a request once more has done with the one before, whose error is none of this one.
        End(context);
        context.Features.Set<IForwarderErrorFeature>(null);
        DestinationState destination = available[choice.Index];

        // The one that was counted: the destination may have got another address since, and is another machine then.
        SentRequest sent = new(this, states[choice.Index], _picker.Now) { IsAskedByYarp = isAskedByYarp };
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
        if (IsUnsent(context, sent))
        {
            _picker.EndUnsent(sent.Destination, s_downTime);
        }
        else if (HasFailed(context))
        {
            // As if it had answered what the proxy does: who breaks off at once would have the least work of all.
            _picker.End(sent.Destination, StatusCodes.Status502BadGateway, TimeSpan.Zero);
        }
        else if (sent.Status is { } status)
        {
            // Not how long its client took for it: that says nothing of how fast the backend is.
            _picker.End(sent.Destination, status, sent.AnsweredAt - sent.At);
        }
        else
        {
            // Nor does what the proxy itself answered, or a client that has gone.
            _picker.End(sent.Destination, elapsed: null);
        }
    }

    /// <summary>Whether there was no connection.</summary>
    private static bool IsUnsent(HttpContext context, SentRequest sent) => sent.Status is null &&
        (context.GetForwarderErrorFeature() is { Error: ForwarderError.Request, Exception: HttpRequestException exception }
            ? exception.HttpRequestError is HttpRequestError.ConnectionError or HttpRequestError.NameResolutionError or HttpRequestError.SecureConnectionError
            : IsSilent(context));

    /// <summary>Whether the destination broke off, answered nothing that can be read, or nothing in time.</summary>
    private static bool HasFailed(HttpContext context) =>
        context.GetForwarderErrorFeature() is
        {
            Error: ForwarderError.Request or ForwarderError.RequestTimedOut or ForwarderError.RequestBodyDestination or ForwarderError.ResponseHeaders
                or ForwarderError.ResponseBodyDestination,
        };

    /// <summary>Whether sending it twice does no harm (RFC 9110, 9.2.1), and it has no body that may have been read.</summary>
    private static bool IsSafe(HttpRequest request) =>
        (HttpMethods.IsGet(request.Method) || HttpMethods.IsHead(request.Method) || HttpMethods.IsOptions(request.Method))
            && request.HttpContext.Features.Get<IHttpRequestBodyDetectionFeature>() is not { CanHaveBody: true };

    private sealed record Known(string Address, BackendState State);

    private sealed record ClusterStates(IReadOnlyList<DestinationState> Destinations, BackendState[] States);
}
