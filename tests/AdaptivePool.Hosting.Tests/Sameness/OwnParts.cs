using System.Diagnostics;
using System.Globalization;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace AdaptivePool.Hosting.Tests.Sameness;

/// <summary>Middleware as applications write it themselves.</summary>
internal static class OwnParts
{
    public const string SetsAtOnce = "sets a local at once";

    public static AsyncLocal<string?> Local { get; } = new();

    public static Part[] All { get; } =
    [
        new("yields", static app => app.Use(static async (context, next) =>
        {
            await Task.Yield();
            await next(context);
            await Task.Yield();
            Trace.Of(context).Add("yielded");
        })),
        new("does not capture", static app => app.Use(static async (context, next) =>
        {
            await Task.Delay(1).ConfigureAwait(false);
            await next(context).ConfigureAwait(false);
            Trace.Of(context).Add("not captured");
        })),
        new("runs a task", static app => app.Use(static (context, next) => Task.Run(() => next(context)))),
        new("is no async method", static app => app.Use(static (context, next) => next(context))),
        new("looks at the task", static app => app.Use(static (context, next) =>
        {
            Task task;
            try
            {
                task = next(context);
            }
            catch (Exception exception)
            {
                // Whether it is thrown at once depends on who runs it.
                task = Task.FromException(exception);
            }

            return task.ContinueWith(
                it =>
                {
                    var failures = it.Exception?.InnerExceptions.Select(static one => Trace.Say(one)) ?? [];
                    Trace.Of(context).Add($"task: {(it.IsCompletedSuccessfully ? "ok" : "not ok")} {string.Join(", ", failures)}");
                    return it;
                },
                CancellationToken.None,
                TaskContinuationOptions.ExecuteSynchronously,
                TaskScheduler.Default).Unwrap();
        })),
        new("catches", static app => app.Use(static async (context, next) =>
        {
            try
            {
                await next(context);
            }
            catch (Exception exception) when (!context.Response.HasStarted)
            {
                context.Response.Clear();
                context.Response.StatusCode = 418;
                await context.Response.WriteAsync(Trace.Say(exception));
            }
        })),
        new("tries again", static app => app.Use(static async (context, next) =>
        {
            try
            {
                await next(context);
            }
            catch (InvalidTimeZoneException) when (!context.Response.HasStarted)
            {
                context.Response.Clear();
                await next(context);
            }
        })),
        new("buffers", static app => app.Use(static async (context, next) =>
        {
            Stream body = context.Response.Body;
            using var buffer = new MemoryStream();
            context.Response.Body = buffer;
            try
            {
                await next(context);
            }
            finally
            {
                context.Response.Body = body;
            }

            if (!context.Response.HasStarted && context.Response.StatusCode is not (204 or 304))
            {
                buffer.Position = 0;
                await buffer.CopyToAsync(body);
            }
        })),
        new("cancels later", static app => app.Use(static async (context, next) =>
        {
            using var late = CancellationTokenSource.CreateLinkedTokenSource(context.RequestAborted);
            CancellationToken before = context.RequestAborted;
            context.RequestAborted = late.Token;
            try
            {
                await next(context);
            }
            finally
            {
                context.RequestAborted = before;
            }
        })),
        new("sets a local", static app => app.Use(static async (context, next) =>
        {
            Local.Value += "async ";
            await next(context);
        })),
        new(SetsAtOnce, static app => app.Use(static (context, next) =>
        {
            Local.Value += "sync ";
            return next(context);
        })),
        new("sets the culture", static app => app.Use(static async (context, next) =>
        {
            CultureInfo.CurrentCulture = new CultureInfo("") { NumberFormat = { NumberDecimalSeparator = "!" } };
            await next(context);
        })),
        new("starts an activity", static app => app.Use(static async (context, next) =>
        {
            using var activity = new Activity("part").SetIdFormat(ActivityIdFormat.W3C).Start();
            await next(context);
            Trace.Of(context).Add($"activity {(ReferenceEquals(Activity.Current, activity) ? "is" : "is not")} current");
        })),
        new("begins a log scope", static app => app.Use(static async (context, next) =>
        {
            var logger = context.RequestServices.GetRequiredService<ILoggerFactory>().CreateLogger("Scene");
            using (logger.BeginScope("part"))
            {
                await next(context);
                logger.LogWarning(new EventId(1, "Left"), "left");
            }
        })),
        new("makes a scope of services", static app => app.Use(static async (context, next) =>
        {
            IServiceProvider before = context.RequestServices;
            await using var scope = before.CreateAsyncScope();
            context.RequestServices = scope.ServiceProvider;
            try
            {
                await next(context);
            }
            finally
            {
                context.RequestServices = before;
            }
        })),
        new("has callbacks", static app => app.Use(static (context, next) =>
        {
            var trace = Trace.Of(context);
            context.Response.OnStarting(() =>
            {
                trace.Add($"part: starting {context.Response.StatusCode}");
                context.Response.Headers.Append("X-Part", "started");
                return Task.CompletedTask;
            });
            context.Response.OnCompleted(async () =>
            {
                trace.Add("part: completed");
                await Task.Yield();
                trace.Add("part: completed later");
            });
            return next(context);
        })),
        new("disposes", static app => app.Use(static (context, next) =>
        {
            context.Response.RegisterForDisposeAsync(new ScopedThing());
            return next(context);
        })),
        new("has items", static app => app.Use(static async (context, next) =>
        {
            context.Items["part"] = "item";
            context.Features.Set(new ItemsFeature());
            await next(context);
            Trace.Of(context).Add($"items: {context.Items["handler"]} {context.Features.Get<IItemsFeature>()?.GetType().Name}");
        })),
        new("branches", static app => app.UseWhen(static _ => true, static branch => branch.Use(static async (context, next) =>
        {
            Trace.Of(context).Add("branch");
            await next(context);
        }))),
        new("reads the body before", static app => app.Use(static async (context, next) =>
        {
            context.Request.EnableBuffering();
            using var reader = new StreamReader(context.Request.Body, leaveOpen: true);
            Trace.Of(context).Add($"before: {(await reader.ReadToEndAsync()).Length}");
            context.Request.Body.Position = 0;
            await next(context);
        })),
        new("serves a page", static app => app.Map("/page", static branch => branch.Run(static async context =>
        {
            await Task.Yield();
            await context.Response.WriteAsync("page");
        }))),
    ];
}
