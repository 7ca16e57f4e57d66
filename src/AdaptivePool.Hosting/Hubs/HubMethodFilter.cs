using System.Reflection;
using AdaptivePool.Hosting.Logging;

namespace AdaptivePool.Hosting.Hubs;

/// <summary>Passes each call of a hub's method, and each lifetime event that a hub handles, to the work class of that method.</summary>
internal sealed partial class HubMethodFilter : IHubFilter
{
    public ValueTask<object?> InvokeMethodAsync(HubInvocationContext invocationContext, Func<HubInvocationContext, ValueTask<object?>> next) =>
        Target(invocationContext.Context, invocationContext.HubMethod) is { } target
            ? CallAsync(target, invocationContext, next)
            : next(invocationContext);

    public Task OnConnectedAsync(HubLifetimeContext context, Func<HubLifetimeContext, Task> next) =>
        HandledTarget(context.Context, ((Func<Task>)context.Hub.OnConnectedAsync).Method) is { } target
            ? HubWorkItem.ContinueAsync(target, () => next(context))
            : next(context);

    public Task OnDisconnectedAsync(HubLifetimeContext context, Exception? exception, Func<HubLifetimeContext, Exception?, Task> next) =>
        HandledTarget(context.Context, ((Func<Exception?, Task>)context.Hub.OnDisconnectedAsync).Method) is { } target
            ? HubWorkItem.ContinueAsync(target, () => next(context, exception))
            : next(context, exception);

    private static async ValueTask<object?> CallAsync(
        RequestTarget target, HubInvocationContext call, Func<HubInvocationContext, ValueTask<object?>> next)
    {
        var item = new HubWorkItem(() => next(call), target.OnBlocking);
        if (!target.TryQueue(item))
        {
            return await next(call);
        }

        try
        {
            await item.Task;
        }
        finally
        {
            if (item.Refusal is { } refusal)
            {
                var logger = new RequestLogger(call.ServiceProvider.GetRequiredService<ILogger<HubMethodFilter>>());
                LogRefused(logger, target.WorkClass?.Name ?? "", HubPlace.NameOf(call.Hub.GetType(), call.HubMethod), refusal.Reason);
            }
        }

        return item.Result;
    }

    /// <summary>Where the handler of a lifetime event runs; null if it runs where it is called, or if the hub does not handle the event.</summary>
    private static RequestTarget? HandledTarget(HubCallerContext context, MethodInfo method) =>
        method.DeclaringType == typeof(Hub) ? null : Target(context, method);

    /// <summary>Where a method runs; null if it runs where it is called.</summary>
    private static RequestTarget? Target(HubCallerContext context, MethodInfo method) =>
        context.Features.Get<HubPlace>()?.Of(method) is { } target && !(target.IsHere && target.OnBlocking is null) ? target : null;

    [LoggerMessage(21, LogLevel.Debug, "Work class '{Class}' refused a call of '{Method}': {Reason}.", EventName = "CallRefused")]
    private static partial void LogRefused(ILogger logger, string @class, string method, RefusalReason reason);
}
