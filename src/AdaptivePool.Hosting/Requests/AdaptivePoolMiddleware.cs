using AdaptivePool.Admission;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Microsoft.Extensions.Options;

namespace AdaptivePool.Hosting.Requests;

/// <summary>Hands each request to the work class of its endpoint.</summary>
internal sealed partial class AdaptivePoolMiddleware
{
    private static readonly SendOrPostCallback s_execute = static item => ((RequestWorkItem)item!).Execute();

    private readonly RequestDelegate _next;
    private readonly RequestTargetMap _targets;
    private readonly ILogger<AdaptivePoolMiddleware> _logger;
    private int _disposalLogged;

    private AdaptivePoolMiddleware(RequestDelegate next, RequestTargetMap targets, ILogger<AdaptivePoolMiddleware> logger)
    {
        _next = next;
        _targets = targets;
        _logger = logger;

        // The pool without a name is there from the start, and the log says so.
        _ = targets.Get(null);
    }

    /// <summary>The pipeline from here on; <paramref name="next"/> itself when the kill switch is set.</summary>
    public static RequestDelegate Create(IServiceProvider services, RequestDelegate next)
    {
        var logger = services.GetService<ILogger<AdaptivePoolMiddleware>>() ?? NullLogger<AdaptivePoolMiddleware>.Instance;
        if (!services.GetRequiredService<IOptions<AdaptivePoolHostingOptions>>().Value.Enabled)
        {
            LogDisabled(logger);
            return next;
        }

        return new AdaptivePoolMiddleware(next, services.GetRequiredService<RequestTargetMap>(), logger).InvokeAsync;
    }

    private Task InvokeAsync(HttpContext context)
    {
        var target = _targets.Get(context.GetEndpoint());

        // True when an earlier UseAdaptivePool() of the same pipeline has brought the request here, too.
        if (target.IsHere)
        {
            return _next(context);
        }

        var item = new RequestWorkItem(_next, context, target.OnBlocking);
        if (HoldsPermit(context, target))
        {
            // In flight: others wait for its permit, and the gate has decided how many there are. Behind a full class it would keep that permit for nothing.
            target.Context!.Post(s_execute, item);
            return item.Task;
        }

        if (target.TryQueue(item))
        {
            return item.Task;
        }

        if (Interlocked.Exchange(ref _disposalLogged, 1) == 0)
        {
            LogPoolDisposed(_logger);
        }

        return _next(context);
    }

    /// <summary>
    /// Whether the request holds one of a bounded number of permits. Those let in past the limit, or while it is off, are as many as there are: their
    /// class bounds them.
    /// </summary>
    private static bool HoldsPermit(HttpContext context, RequestTarget target) =>
        target.Gate is { MaxTransactions: > 0 } && context.Features.Get<TransactionLease>() is { IsPrivileged: false };

    [LoggerMessage(2, LogLevel.Warning, "AdaptivePool:Enabled is 'False'; requests run on the runtime's thread pool.", EventName = "Disabled")]
    private static partial void LogDisabled(ILogger logger);

    [LoggerMessage(
        3,
        LogLevel.Warning,
        "A request arrived after the pool was disposed; it and later ones run on the runtime's thread pool.",
        EventName = "PoolDisposed")]
    private static partial void LogPoolDisposed(ILogger logger);
}
