using AdaptivePool.Balancing;

namespace AdaptivePool.Hosting.Load;

/// <summary>Counts each request from this point of the pipeline on, and adds the load to the responses for known balancers.</summary>
internal sealed class LoadMiddleware(RequestDelegate next, LoadReporter reporter)
{
    private const string OrcaHeader = "endpoint-load-metrics";

    private static readonly Func<object, Task> s_answer = static state =>
    {
        ((LoadTicket)state).Answer();
        return Task.CompletedTask;
    };

    private static readonly Func<object, Task> s_tell = static state =>
    {
        var (context, reporter, balancer) = ((HttpContext, LoadReporter, string))state;
        context.Response.Headers[LoadReport.HeaderName] = reporter.Monitor.Report(balancer).ToString();
        if (reporter.Orca() is { } orca)
        {
            context.Response.Headers[OrcaHeader] = orca;
        }

        return Task.CompletedTask;
    };

    public Task InvokeAsync(HttpContext context) =>
        // The middleware may be used twice, or a request may run through it once more. It is one request, and counts from the first time on.
        context.Features.Get<LoadTicket>() is null ? CountAsync(context) : next(context);

    private async Task CountAsync(HttpContext context)
    {
        var balancer = context.Request.Headers[LoadReport.BalancerHeaderName] is [{ } name] ? name : null;
        // If an earlier middleware has begun the response, its headers are sent already.
        var hasStarted = context.Response.HasStarted;
        if (!hasStarted && reporter.MayTell(balancer))
        {
            // At the start of the response, so that the reported load is new.
            context.Response.OnStarting(s_tell, (context, reporter, balancer!));
        }

        var ticket = new LoadTicket(reporter.Meter);
        context.Features.Set(ticket);
        if (hasStarted)
        {
            ticket.Answer();
        }
        else
        {
            context.Response.OnStarting(s_answer, ticket);
        }

        // WebSockets over HTTP/2 get the response 200.
        var isTunnel = HttpMethods.IsConnect(context.Request.Method);
        var hasThrown = true;
        try
        {
            await next(context);
            hasThrown = false;
        }
        finally
        {
            // An exception before the response has begun leads to an error response, wherever that is created.
            ticket.End(
                isTunnel ? StatusCodes.Status101SwitchingProtocols
                : hasThrown && !context.Response.HasStarted ? StatusCodes.Status500InternalServerError
                : GrpcStatus.ToHttp(context.Response.StatusCode, context.Response.Headers[GrpcStatus.HeaderName]));
        }
    }
}
