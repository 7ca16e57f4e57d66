using System.Threading.RateLimiting;
using AdaptivePool.Hosting.Connections;
using AdaptivePool.Hosting.Load;

namespace AdaptivePool.Hosting.Gates;

/// <summary>Leads each request through the gate of its endpoint.</summary>
internal sealed class GateMiddleware(RequestDelegate next, IServiceProvider services, ILogger logger)
{
    private readonly ConnectionEndpoints _connections = services.GetRequiredService<ConnectionEndpoints>();

    // Keyed weakly, because an application may replace its endpoints while it runs.
    private readonly ConditionalWeakTable<Endpoint, GateTarget> _targets = [];

    public Task InvokeAsync(HttpContext context) =>
        // A request that is inside has entered at an earlier place of the same pipeline.
        context.GetEndpoint() is { } endpoint
            && endpoint.Metadata.Find<RequireTransactionGateAttribute>() is { } required
            && !GateTarget.IsInside(context, endpoint, required, _connections)
            ? PassAsync(context, _targets.TryGetValue(endpoint, out var known) ? known : _targets.GetValue(endpoint, CreateTarget))
            : next(context);

    private GateTarget CreateTarget(Endpoint endpoint)
    {
        var required = endpoint.Metadata.Find<RequireTransactionGateAttribute>()!;
        return new GateTarget(
            services.GetRequiredKeyedService<TransactionGate>(required.GateName),
            EndpointClassRule.ClassName(endpoint),
            required,
            _connections.Contains(endpoint));
    }

    private async Task PassAsync(HttpContext context, GateTarget target)
    {
        var (gate, request) = (target.Gate, target.Ask(context));
        RateLimitLease answer;
        try
        {
            answer = await WaitAsync(context, gate.AcquireAsync(request, context.RequestAborted));
        }
        catch (OperationCanceledException) when (RequestEnd.HasGone(context))
        {
            RequestEnd.Drop(context);
            return;
        }
        catch (ObjectDisposedException)
        {
            // The gate is closed. A request that waited when it was closed gets a refusal instead.
            RequestEnd.Refuse(context, Status(RefusalReason.Disposed), retryAfter: null);
            GateLog.LogRefused(logger, gate.Name, request.Name ?? "", RefusalReason.Disposed);
            return;
        }

        using (answer)
        {
            if (answer is TransactionLease lease)
            {
                await RunAsync(context, target, lease);
            }
            else
            {
                Refuse(context, gate, request, answer);
            }
        }
    }

    /// <summary>A wait at the gate counts as a wait in the backend's queue, as a wait for a thread does.</summary>
    private static async ValueTask<RateLimitLease> WaitAsync(HttpContext context, ValueTask<RateLimitLease> answer)
    {
        if (answer.IsCompleted || context.Features.Get<LoadTicket>() is not { } ticket)
        {
            return await answer;
        }

        ticket.BeginWait();
        var lease = await answer;
        if (lease.IsAcquired)
        {
            ticket.EndWait();
        }

        return lease;
    }

    private async Task RunAsync(HttpContext context, GateTarget target, TransactionLease lease)
    {
        var aborted = context.RequestAborted;

        // A request that is run once more inside a gate, as another endpoint, may be inside several gates.
        var (outerTarget, outerLease) = (context.Features.Get<GateTarget>(), context.Features.Get<TransactionLease>());

        // An administrator who cancels the transaction and a client that goes away look the same to the endpoint. The framework's transport over WebSockets
        // does not look at the token: it ends with its connection only.
        using var either = CancellationTokenSource.CreateLinkedTokenSource(aborted, lease.CancellationToken);
        using var abort = target.IsOfConnections && ConnectionFeatures.IsTunnel(context)
            ? lease.CancellationToken.UnsafeRegister(static it => ((HttpContext)it!).Abort(), context) : default;
        var token = either.Token;
        context.RequestAborted = token;
        context.Features.Set(outerTarget is null ? target : target with { Outer = outerTarget });
        context.Features.Set(lease);
        try
        {
            await next(context);

            // An exception handler behind the gate makes the first status of a cancellation, and YARP makes the second. To them, too, the two causes look the
            // same.
            var isCancelled = context.Response.StatusCode == StatusCodes.Status499ClientClosedRequest
                || (context.Response.StatusCode == StatusCodes.Status400BadRequest && token.IsCancellationRequested);
            lease.HasFailed |= isCancelled || context.Response.StatusCode >= StatusCodes.Status500InternalServerError;
            if (isCancelled && WasEnded(context, lease, aborted))
            {
                AnswerEnded(context, lease);
            }
        }
        catch (OperationCanceledException) when (WasEnded(context, lease, aborted))
        {
            AnswerEnded(context, lease);
        }
        catch
        {
            // A request that fails says nothing about what a limit is worth.
            lease.HasFailed = true;
            throw;
        }
        finally
        {
            context.Features.Set(outerLease);
            context.Features.Set(outerTarget);

            // A token that the endpoint has set in its place stays, as without the gate: exception handlers before this middleware look at it.
            if (context.RequestAborted == token)
            {
                context.RequestAborted = aborted;
            }
        }
    }

    /// <summary>Whether an administrator has cancelled the transaction of a client that still waits for an answer.</summary>
    private static bool WasEnded(HttpContext context, TransactionLease lease, CancellationToken aborted) =>
        lease.CancellationToken.IsCancellationRequested && !aborted.IsCancellationRequested && !context.Response.HasStarted;

    private static void AnswerEnded(HttpContext context, TransactionLease lease)
    {
        lease.HasFailed = true;

        // What the endpoint has set for the response that it did not write, such as its length, is not true of this one.
        context.Response.Clear();
        context.Response.StatusCode = StatusCodes.Status503ServiceUnavailable;
    }

    private void Refuse(HttpContext context, TransactionGate gate, TransactionRequest request, RateLimitLease refusal)
    {
        refusal.TryGetMetadata(TransactionGate.ReasonMetadata, out var reason);
        RequestEnd.Refuse(
            context, Status(reason), refusal.TryGetMetadata(MetadataName.RetryAfter, out var retryAfter) ? retryAfter : null);
        GateLog.LogRefused(logger, gate.Name, request.Name ?? "", reason);
    }

    /// <summary>
    /// The HTTP status of a refusal. If too many requests wait, it is 429: the clients send more than fits, and another server in front of the same database
    /// would not help. If a request has waited too long, it is 503: the service is too slow at the moment.
    /// </summary>
    private static int Status(RefusalReason reason) => reason is RefusalReason.QueueFull or RefusalReason.GateFull
        ? StatusCodes.Status429TooManyRequests : StatusCodes.Status503ServiceUnavailable;
}
