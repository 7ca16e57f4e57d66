using AdaptivePool.Hosting.Connections;
using AdaptivePool.Hosting.Load;
using AdaptivePool.Hosting.Logging;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Http.Features;

namespace AdaptivePool.Hosting.Requests;

/// <summary>Hands each request to the work class of its endpoint.</summary>
/// <param name="services">The application's services.</param>
/// <param name="next">The rest of the pipeline.</param>
/// <param name="mayBeBeforeRouting">Whether requests may get their endpoint after this place.</param>
/// <param name="logger">The log.</param>
internal sealed partial class AdaptivePoolMiddleware(
    IServiceProvider services, RequestDelegate next, bool mayBeBeforeRouting, ILogger logger)
{
    private static readonly Func<(AdaptivePoolMiddleware Owner, HttpContext Context, RequestTarget Target), Task> s_runGuest = static it
        => it.Owner.RunGuest(it.Context, it.Target);

    private static readonly object s_mark = new();

    private readonly RequestTargets _targets = services.GetRequiredService<RequestTargets>();
    private readonly RequestStartupFilter _places = services.GetRequiredService<RequestStartupFilter>();
    private readonly RequestMetrics _metrics = services.GetRequiredService<RequestMetrics>();
    private readonly bool _reportsLoad = services.GetService<LoadReporter>() is not null;
    private int _disposalLogged;
    private int _placeLogged;
    private int _listenerLogged;

    /// <summary>The pipeline from here on; <paramref name="next"/> itself when the kill switch is set.</summary>
    /// <inheritdoc cref="AdaptivePoolMiddleware"/>
    public static RequestDelegate Create(IServiceProvider services, RequestDelegate next, bool mayBeBeforeRouting)
    {
        var logger = services.GetRequiredService<ILogger<AdaptivePoolMiddleware>>();
        if (!services.GetRequiredService<IOptions<AdaptivePoolHostingOptions>>().Value.Enabled)
        {
            LogDisabled(logger);
            return next;
        }

        // The pool without a name is there from the start, and the log says so.
        _ = services.GetRequiredService<RequestTargets>().Get(null);
        return new AdaptivePoolMiddleware(services, next, mayBeBeforeRouting, new RequestLogger(logger)).InvokeAsync;
    }

    private Task InvokeAsync(HttpContext context)
    {
        var target = _targets.Get(context.GetEndpoint());
        if (_places.MayBeMissed)
        {
            // The endpoint looks for it.
            context.Features.Set(target);
        }

        // True when an earlier UseAdaptivePool() of the same pipeline has brought the request here, too.
        if (target.IsHere || (_places.AreSeveral && context.Features.Get<Guest>()?.Target == target))
        {
            return next(context);
        }

        // Comes before a guest runs: the guest may be the first request of its connection.
        var priority = target.NewConnectionPriority is not WorkPriority.Normal and var first && IsFirst(context) ? first : WorkPriority.Normal;
        if (target.MayBeGuest && target.WorkClass!.TryRunAsGuest(s_runGuest, (this, context, target), out var guest))
        {
            return guest;
        }

        var isRunAgain = RequestEnd.IsRunAgain(context);
        if (isRunAgain && RequestEnd.IsDropped(context))
        {
            return Task.CompletedTask;
        }

        var item = new RequestWorkItem(this, context, target, _reportsLoad ? context.Features.Get<LoadTicket>() : null);
        item.Enter();

        // A message of a connection that was accepted. Its client cannot send it again, and a refused message ends the connection.
        var isMessage = target.IsOfConnections && ConnectionEndpoints.HasId(context);
        if (isMessage || isRunAgain)
        {
            target.Continue(item, isInFlight: !isMessage);
            return item.Task;
        }

        if (target.TryQueue(item, priority))
        {
            return item.Task;
        }

        item.Withdraw();
        if (Interlocked.Exchange(ref _disposalLogged, 1) == 0)
        {
            LogPoolDisposed(logger);
        }

        return next(context);
    }

    /// <summary>
    /// Whether this is the first call for the request's connection: each call leaves a mark among the items of the connection. False if the server has no such
    /// items, and over HTTP/3, where each request has items of its own.
    /// </summary>
    private static bool IsFirst(HttpContext context)
    {
        if (HttpProtocol.IsHttp3(context.Request.Protocol) || context.Features.Get<IConnectionItemsFeature>() is not { } connection)
        {
            return false;
        }

        // Over HTTP/2, several requests of one connection arrive at once. A connection creates its items when they are first read, and callers at the same time
        // might each get their own. Code that runs behind this place finds them created and marked.
        lock (connection)
        {
            return connection.Items is { } items && items.TryAdd(s_mark, null);
        }
    }

    private Task RunGuest(HttpContext context, RequestTarget target) =>
        _places.AreSeveral ? RunMarkedAsync(context, target) : RunGuest(context, target.SendsFiles);

    /// <summary>Marks the request for later places in the pipeline, which must leave a guest alone: its thread does not show them that it is one.</summary>
    private async Task RunMarkedAsync(HttpContext context, RequestTarget target)
    {
        var outer = context.Features.Get<Guest>();
        context.Features.Set(new Guest(target));
        try
        {
            await RunGuest(context, target.SendsFiles);
        }
        finally
        {
            context.Features.Set(outer);
        }
    }

    private Task RunGuest(HttpContext context, bool sendsFiles) =>
        sendsFiles && SynchronizationContext.Current is { } guest && context.Features.Get<IHttpResponseBodyFeature>() is { } body
            ? SendFilesAsync(context, body, new GuestResponseBody(body, guest))
            : RunNext(context);

    private async Task SendFilesAsync(HttpContext context, IHttpResponseBodyFeature body, GuestResponseBody guestBody)
    {
        context.Features.Set<IHttpResponseBodyFeature>(guestBody);
        try
        {
            await RunNext(context);
        }
        finally
        {
            // Middleware before this place that has set its own body finds that body when it removes it. A body that other code has set stays.
            if (ReferenceEquals(context.Features.Get<IHttpResponseBodyFeature>(), guestBody))
            {
                context.Features.Set(body);
            }
        }
    }

    /// <summary>The rest of the pipeline.</summary>
    public Task RunNext(HttpContext context) => mayBeBeforeRouting && context.GetEndpoint() is null
        ? RunAndLookAsync(context)
        : next(context) ?? throw new InvalidOperationException("The request pipeline returned null instead of a task.");

    /// <summary>
    /// Ends a request that was aborted while it waited, as a handler would that looks at the token first. If the client has gone, no response is needed, and
    /// nothing is thrown.
    /// </summary>
    public Task Drop(HttpContext context, RequestTarget target)
    {
        CountDropped(target);
        LogDropped(logger, target.WorkClass?.Name ?? "", context.GetEndpoint()?.DisplayName ?? "");
        if (!RequestEnd.HasGone(context))
        {
            return Task.FromCanceled(context.RequestAborted);
        }

        RequestEnd.Drop(context);
        return Task.CompletedTask;
    }

    /// <summary>Ends a request that its class refuses: the service is too slow at the moment, and another server may not be.</summary>
    public Task Refuse(HttpContext context, RequestTarget target, WorkRefusedException refusal)
    {
        RequestEnd.Refuse(context, StatusCodes.Status503ServiceUnavailable, refusal.RetryAfter);
        LogRefused(logger, target.WorkClass?.Name ?? "", context.GetEndpoint()?.DisplayName ?? "", refusal.Reason);
        return Task.CompletedTask;
    }

    // A fault of a listener must not change how a request ends. It is logged once, because it recurs at every count.
    private void CountDropped(RequestTarget target)
    {
        try
        {
            _metrics.CountDropped(target.WorkClass);
        }
        catch (Exception exception)
        {
            if (Interlocked.Exchange(ref _listenerLogged, 1) == 0)
            {
                LogListenerFault(logger, exception);
            }
        }
    }

    /// <summary>Logs once when a request got its endpoint after it passed this place.</summary>
    private async Task RunAndLookAsync(HttpContext context)
    {
        await next(context);
        if (context.GetEndpoint() is { } endpoint && Interlocked.Exchange(ref _placeLogged, 1) == 0)
        {
            LogBeforeRouting(logger, endpoint.DisplayName ?? "");
        }
    }

    [LoggerMessage(2, LogLevel.Warning, "AdaptivePool:Enabled is 'False'; requests run on the runtime's thread pool.", EventName = "Disabled")]
    private static partial void LogDisabled(ILogger logger);

    [LoggerMessage(
        16,
        LogLevel.Warning,
        "UseAdaptivePool() is called in a branch before UseRouting(): '{Endpoint}' and other endpoints run in the default class there, and their pools "
            + "and classes are ignored. Call it after 'app.UseRouting()'.",
        EventName = "BeforeRouting")]
    private static partial void LogBeforeRouting(ILogger logger, string endpoint);

    [LoggerMessage(13, LogLevel.Debug, "Work class '{Class}' refused '{Endpoint}': {Reason}.", EventName = "Refused")]
    private static partial void LogRefused(ILogger logger, string @class, string endpoint, RefusalReason reason);

    [LoggerMessage(
        15,
        LogLevel.Debug,
        "A request of work class '{Class}' for '{Endpoint}' was not run: it was aborted while it waited for a worker.",
        EventName = "Dropped")]
    private static partial void LogDropped(ILogger logger, string @class, string endpoint);

    [LoggerMessage(
        20, LogLevel.Error, "A meter listener threw when a request that was not run was counted. This is logged once.", EventName = "ListenerFault")]
    private static partial void LogListenerFault(ILogger logger, Exception exception);

    [LoggerMessage(
        3,
        LogLevel.Warning,
        "A request arrived after the pool was disposed; it and later ones run on the runtime's thread pool.",
        EventName = "PoolDisposed")]
    private static partial void LogPoolDisposed(ILogger logger);

    /// <summary>A feature of a request that runs as a guest.</summary>
    private sealed record Guest(RequestTarget Target);
}
