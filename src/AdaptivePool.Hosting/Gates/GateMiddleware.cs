using System.Runtime.CompilerServices;
using System.Threading.RateLimiting;
using AdaptivePool.Admission;
using AdaptivePool.Hosting.Load;
using AdaptivePool.Hosting.Requests;
using Microsoft.Extensions.Logging.Abstractions;

namespace AdaptivePool.Hosting.Gates;

/// <summary>Leads each request through the gate of its endpoint.</summary>
internal sealed class GateMiddleware
{
    private readonly RequestDelegate _next;
    private readonly ILogger _logger;

    // Keyed weakly, because an application may replace its endpoints while it runs.
    private readonly ConditionalWeakTable<Endpoint, GateTarget> _targets = [];
    private readonly ConditionalWeakTable<Endpoint, GateTarget>.CreateValueCallback _create;

    public GateMiddleware(RequestDelegate next, IServiceProvider services)
    {
        _next = next;
        _logger = services.GetService<ILogger<GateMiddleware>>() ?? NullLogger<GateMiddleware>.Instance;
        _create = endpoint => endpoint.Metadata.GetMetadata<RequireTransactionGateAttribute>() is { } metadata
            ? new GateTarget(GateCatalog.Get(services, metadata.GateName), EndpointClassRule.ClassName(endpoint), metadata)
            : GateTarget.None;
    }

    public Task InvokeAsync(HttpContext context)
    {
        // The second condition holds when an earlier place of the same pipeline has let the request in.
        return context.GetEndpoint() is not { } endpoint
            || _targets.GetValue(endpoint, _create) is not { Gate: { } gate } target
            || context.Features.Get<TransactionLease>() is not null
            ? _next(context)
            : PassAsync(context, gate, target.Ask(context));
    }

    private async Task PassAsync(HttpContext context, TransactionGate gate, TransactionRequest request)
    {
        RateLimitLease answer;
        try
        {
            answer = await WaitAsync(context, gate.AcquireAsync(request, context.RequestAborted));
        }
        catch (OperationCanceledException) when (ClientRule.HasGone(context))
        {
            // Nobody is there to answer; the status is for the access log.
            context.Response.StatusCode = StatusCodes.Status499ClientClosedRequest;
            return;
        }
        catch (ObjectDisposedException)
        {
            // Closed, as the one that waits is told by a refusal.
            context.Response.StatusCode = Status(RefusalReason.Disposed);
            GateLog.LogRefused(_logger, gate.Name, request.Name ?? "", RefusalReason.Disposed);
            return;
        }

        using (answer)
        {
            if (answer is TransactionLease lease)
            {
                await RunAsync(context, lease);
            }
            else
            {
                Refuse(context, gate, request, answer);
            }
        }
    }

    /// <summary>A wait at the gate is a wait in the backend's queue, as one for a thread is.</summary>
    private static async ValueTask<RateLimitLease> WaitAsync(HttpContext context, ValueTask<RateLimitLease> answer)
    {
        if (answer.IsCompleted || context.Features.Get<LoadTicket>() is not { } ticket)
        {
            return await answer;
        }

        ticket.BeginWait();
        try
        {
            return await answer;
        }
        finally
        {
            ticket.EndWait();
        }
    }

    private async Task RunAsync(HttpContext context, TransactionLease lease)
    {
        var aborted = context.RequestAborted;

        // An administrator that cancels the transaction and a client that goes away look the same to the endpoint.
        using var either = CancellationTokenSource.CreateLinkedTokenSource(aborted, lease.CancellationToken);
        context.RequestAborted = either.Token;
        context.Features.Set(lease);
        try
        {
            await RunNextAsync(context, lease);
        }
        catch (OperationCanceledException)
            when (lease.CancellationToken.IsCancellationRequested && !aborted.IsCancellationRequested && !context.Response.HasStarted)
        {
            context.Response.StatusCode = StatusCodes.Status503ServiceUnavailable;
        }
        finally
        {
            context.Features.Set<TransactionLease>(null);
            context.RequestAborted = aborted;
        }
    }

    /// <summary>A request that fails says nothing about what a limit is worth.</summary>
    private async Task RunNextAsync(HttpContext context, TransactionLease lease)
    {
        try
        {
            await _next(context);
        }
        catch
        {
            lease.HasFailed = true;
            throw;
        }

        if (context.Response.StatusCode >= StatusCodes.Status500InternalServerError)
        {
            lease.HasFailed = true;
        }
    }

    private void Refuse(HttpContext context, TransactionGate gate, TransactionRequest request, RateLimitLease refusal)
    {
        refusal.TryGetMetadata(TransactionGate.ReasonMetadata, out var reason);
        RefusalAnswer.Write(
            context, Status(reason), refusal.TryGetMetadata(MetadataName.RetryAfter, out var retryAfter) ? retryAfter : null);
        GateLog.LogRefused(_logger, gate.Name, request.Name ?? "", reason);
    }

    /// <summary>
    /// What a refusal looks like over HTTP. Too many that wait: 429, the clients send more than fits, and another server in front of the same database would
    /// not help. Waited too long: 503, the service is too slow at the moment.
    /// </summary>
    private static int Status(RefusalReason reason) => reason is RefusalReason.QueueFull or RefusalReason.GateFull
        ? StatusCodes.Status429TooManyRequests : StatusCodes.Status503ServiceUnavailable;
}
