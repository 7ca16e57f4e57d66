using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace AdaptivePool.Hosting.Tests.Sameness;

/// <summary>Steps that end a request another way than by an answer.</summary>
internal static class EndSteps
{
    public static Step[] All { get; } =
    [
        new("throw", static _ => throw new InvalidTimeZoneException("at once")),
        new("throw later", static async _ =>
        {
            await Task.Yield();
            throw new InvalidTimeZoneException("later");
        }),
        new("throw with a status", static _ => throw new BadHttpRequestException("bad", StatusCodes.Status422UnprocessableEntity)),
        new("throw an inner", static async _ =>
        {
            await Task.Delay(1);
            throw new InvalidOperationException("outer", new InvalidTimeZoneException("inner"));
        }),
        new("throw several", static _ =>
        {
            // One after the other: the first to fail is the first in the task.
            Task one = FailAsync("one");
            return Task.WhenAll(one, FailAsync("two", one));
        }),
        new("throw from a task that blocks", static _ =>
        {
            // Not here: with one thread it would wait for itself.
            Task.Run(static () => FailAsync("blocked")).Wait();
            return Task.CompletedTask;
        }),
        new("cancel", static _ => Task.FromCanceled(new CancellationToken(canceled: true))),
        new("cancel later", static async _ =>
        {
            await Task.Yield();
            throw new OperationCanceledException("cancelled");
        }),
        new("fault with a cancellation", static async _ =>
        {
            var source = new TaskCompletionSource();
            source.SetException(new TaskCanceledException("faulted"));
            await source.Task;
        }),
        new("start and throw", static async context =>
        {
            await context.Response.WriteAsync("begun ");
            await context.Response.Body.FlushAsync();
            throw new InvalidTimeZoneException("started");
        }),
        new("abort", static context =>
        {
            context.Abort();
            return Task.CompletedTask;
        }),
        new("abort in the middle", static async context =>
        {
            await context.Response.WriteAsync("begun ");
            await context.Response.Body.FlushAsync();
            context.Abort();

            // The server cancels the token elsewhere.
            await Task.Delay(SceneRun.Patience, context.RequestAborted).ConfigureAwait(
                ConfigureAwaitOptions.ContinueOnCapturedContext | ConfigureAwaitOptions.SuppressThrowing);
            Trace.Of(context).Add($"aborted {context.RequestAborted.IsCancellationRequested}");
        }),
        new("reset", static context =>
        {
            context.Features.Get<IHttpResetFeature>()?.Reset(2);
            return Task.CompletedTask;
        }),
    ];

    /// <summary>Waits until the request is aborted: by its client, or by a timeout.</summary>
    public static Step WaitForAbort { get; } = new("wait for the abort", static async context =>
    {
        try
        {
            Trace.Of(context).Add(SceneApp.Waits);
            await Task.Delay(SceneRun.Patience, context.RequestAborted);
        }
        catch (OperationCanceledException exception)
        {
            Trace.Of(context).Add($"aborted: {Trace.Say(exception, context.RequestAborted)}");
            throw;
        }
    });

    /// <summary>The same, after its client has seen the begin of the answer.</summary>
    public static Step StartAndWaitForAbort { get; } = new("start, and wait for the abort", static async context =>
    {
        await context.Response.WriteAsync("begun ");
        await context.Response.Body.FlushAsync();
        await WaitForAbort.Run(context);
    });

    private static async Task FailAsync(string text, Task? after = null)
    {
        await Task.Yield();
        await (after ?? Task.CompletedTask).ContinueWith(static _ => { }, TaskScheduler.Default);
        throw new InvalidTimeZoneException(text);
    }
}
