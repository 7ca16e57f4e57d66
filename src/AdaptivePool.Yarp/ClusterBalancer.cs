using System.Runtime.CompilerServices;
using Microsoft.AspNetCore.Http.Features;
using Yarp.ReverseProxy.Forwarder;

namespace AdaptivePool.Yarp;

/// <summary>The balancer of one cluster.</summary>
internal sealed class ClusterBalancer
{
    /// <summary>How long a destination that cannot be connected to is left alone, while other destinations can be reached.</summary>
    private static readonly TimeSpan s_downTime = TimeSpan.FromSeconds(1);

    private readonly BackendPicker _picker;
    private readonly ClusterState _cluster;
    private readonly ConditionalWeakTable<DestinationState, Known> _known = [];
    private readonly ProxyMetrics _metrics;
    private readonly ProxyLog _log;

    /// <summary>How long a point is valid if its destination does not repeat it; <see langword="null"/> for ever.</summary>
    private readonly TimeSpan? _pointLifetime;

    /// <summary>What is known about the present destinations of the cluster. A reader of an earlier value creates its own, so it pairs with
    /// nothing.</summary>
    private volatile ClusterStates? _states;

    public ClusterBalancer(ClusterState cluster, string policy, IBalancer balancer, TimeSpan? pointLifetime, ProxyMetrics metrics, ProxyLog log)
    {
        (_cluster, Policy, _pointLifetime, _metrics, _log) = (cluster, policy, pointLifetime, metrics, log);
        _picker = new BackendPicker(balancer);
    }

    public string Cluster => _cluster.ClusterId;

    public string Policy { get; }

    /// <summary>What is known about the destinations of the present configuration, as far as they have been candidates.</summary>
    public IEnumerable<BackendState> Destinations => _cluster.DestinationsState.AllDestinations
        .Select(it => _known.TryGetValue(it, out Known? known) ? known.State : null).OfType<BackendState>();

    /// <summary>The point of a destination if it is still valid: the balancer forgets a point only when the destination is a candidate.</summary>
    public OverloadPoint? PointOf(BackendState destination) =>
        destination.HasExpired(_picker.Now, _pointLifetime) ? null : destination.Point;

    /// <summary>Chooses at once. If the result is null, the request gets the status 503.</summary>
    public DestinationState? Pick(HttpContext context, IReadOnlyList<DestinationState> available)
    {
        BackendState[] states = States(available);
        return Take(context, available, states, _picker.Pick(states), isAskedByYarp: true);
    }

    /// <summary>Chooses, and waits while all destinations are at their limit.</summary>
    public async ValueTask<DestinationState?> PickAsync(HttpContext context, IReadOnlyList<DestinationState> available, CollaborativeProxyOptions options)
    {
        BackendState[] states = States(available);
        BalancerChoice choice = await _picker.PickAsync(states, options.MostWait, options.MostWaiting, context.RequestAborted);
        return Take(context, available, states, choice, isAskedByYarp: false);
    }

    /// <summary>Called when a destination has begun to respond to a request.</summary>
    public static void Answer(HttpContext context, int status)
    {
        if (context.Features.Get<SentRequest>() is { IsEnded: false } sent)
        {
            (sent.Status, sent.AnsweredAt) = (status, sent.Balancer._picker.Now);
            sent.Balancer._picker.Answer(sent.Destination, status);
        }
    }

    /// <summary>Processes the report in the header of a response.</summary>
    public void TakeReport(HttpContext context, DestinationState destination, string text)
    {
        BackendState state = context.Features.Get<SentRequest>() is { } sent && sent.Balancer == this ? sent.Destination : State(destination);
        _metrics.CountReport(Cluster, _picker.Take(state, text));
    }

    /// <summary>Called when the proxy has finished a request, if one is under way.</summary>
    /// <returns>Whether the request was not sent because its destination could not be connected to, so that another destination may get it. The failed
    /// destination is left alone for a while.</returns>
    public static bool End(HttpContext context)
    {
        if (context.Features.Get<SentRequest>() is not { IsEnded: false } sent)
        {
            return false;
        }

        sent.Balancer.End(context, sent);
        return IsUnsent(context, sent) && (!IsSilent(context) || IsSafe(context.Request));
    }

    /// <summary>Whether a timeout expired that is not the proxy's. It is the connect timeout of the inner handler or, which cannot be told apart, a timeout
    /// of another handler after the request had been sent.</summary>
    public static bool IsSilent(HttpContext context) =>
        context.GetForwarderErrorFeature() is
        {
            Error: ForwarderError.Request or ForwarderError.RequestTimedOut, Exception: OperationCanceledException { InnerException: TimeoutException },
        };

    /// <summary>What is known about a destination. A destination whose address has changed is another machine, to which nothing that is known
    /// applies.</summary>
    private BackendState State(DestinationState destination)
    {
        if (_known.TryGetValue(destination, out Known? known) && known.Address == destination.Model.Config.Address)
        {
            return known.State;
        }

        // One of several threads that come first creates the state: counts in another instance would be lost. The address is read inside the lock: a thread
        // that has read it before the change would bring back the earlier machine.
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
        // YARP's own list. YARP creates another list when a destination, its address or its health changes; a middleware may have changed its own list. The
        // states are kept, because there may be thousands.
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

        // Code that sends a request once more has finished the previous attempt, whose error does not belong to this one.
        End(context);
        context.Features.Set<IForwarderErrorFeature>(null);
        DestinationState destination = available[choice.Index];

        // The state that was counted: if the destination has got another address since, it is another machine.
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
            // As if it had responded with what the proxy returns. Otherwise a destination that breaks off at once would have the least work of all.
            _picker.End(sent.Destination, StatusCodes.Status502BadGateway, TimeSpan.Zero);
        }
        else if (sent.Status is { } status)
        {
            // The time that the client takes does not count: it says nothing about the speed of the backend.
            _picker.End(sent.Destination, status, sent.AnsweredAt - sent.At);
        }
        else
        {
            // A response of the proxy itself says nothing about it either, nor does a client that has disconnected.
            _picker.End(sent.Destination, elapsed: null);
        }
    }

    /// <summary>Whether there was no connection.</summary>
    private static bool IsUnsent(HttpContext context, SentRequest sent) => sent.Status is null &&
        (context.GetForwarderErrorFeature() is { Error: ForwarderError.Request, Exception: HttpRequestException exception }
            ? exception.HttpRequestError is HttpRequestError.ConnectionError or HttpRequestError.NameResolutionError or HttpRequestError.SecureConnectionError
            : IsSilent(context));

    /// <summary>Whether the destination broke off, its response could not be read, or it did not respond in time.</summary>
    private static bool HasFailed(HttpContext context) =>
        context.GetForwarderErrorFeature() is
        {
            Error: ForwarderError.Request or ForwarderError.RequestTimedOut or ForwarderError.RequestBodyDestination or ForwarderError.ResponseHeaders
                or ForwarderError.ResponseBodyDestination,
        };

    /// <summary>Whether sending the request twice does no harm (RFC 9110, 9.2.1), and it has no body that may have been read.</summary>
    private static bool IsSafe(HttpRequest request) =>
        (HttpMethods.IsGet(request.Method) || HttpMethods.IsHead(request.Method) || HttpMethods.IsOptions(request.Method))
            && request.HttpContext.Features.Get<IHttpRequestBodyDetectionFeature>() is not { CanHaveBody: true };

    private sealed record Known(string Address, BackendState State);

    private sealed record ClusterStates(IReadOnlyList<DestinationState> Destinations, BackendState[] States);
}
