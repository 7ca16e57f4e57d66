using System.Diagnostics;
using System.Globalization;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace AdaptivePool.Hosting.Tests.Sameness;

/// <summary>Steps that wait, run elsewhere, and look at what flows with a request.</summary>
internal static class FlowSteps
{
    public static Step[] All { get; } =
    [
        new("yield", static async _ => await Task.Yield()),
        new("delay", static _ => Task.Delay(1)),
        new("delay, not captured", static async context =>
        {
            await Task.Delay(1).ConfigureAwait(false);
            Look(context);
        }),
        new("task run", static async context =>
        {
            await Task.Run(() => Look(context));
            Look(context);
        }),
        new("long running task", static async context =>
        {
            await Task.Factory.StartNew(() => Look(context), CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
            Look(context);
        }),
        new("sleep", static _ =>
        {
            Thread.Sleep(2);
            return Task.CompletedTask;
        }),
        new("block on a delay", static context =>
        {
            Task.Delay(1).Wait();
            Look(context);
            return Task.CompletedTask;
        }),
        new("block on a task", static context =>
        {
            Task.Run(static async () => await Task.Delay(1)).GetAwaiter().GetResult();
            Look(context);
            return Task.CompletedTask;
        }),
        new("compute", static _ =>
        {
            Thread.SpinWait(200_000);
            return Task.CompletedTask;
        }),
        new("several at once", static async context =>
        {
            int[] all = await Task.WhenAll(Enumerable.Range(0, 4).Select(static async i =>
            {
                await Task.Yield();
                await Task.Delay(i % 2);
                return i;
            }));
            Trace.Of(context).Add($"all {all.Sum()}");
            Look(context);
        }),
        new("first of several", static async context =>
        {
            using var end = new CancellationTokenSource();
            Task late = LateAsync(end.Token);
            await Task.WhenAny(Task.Delay(1), late);
            await end.CancelAsync();
            await late;
            Look(context);

            static async Task LateAsync(CancellationToken cancelled)
            {
                try
                {
                    await Task.Delay(Timeout.Infinite, cancelled);
                }
                catch (OperationCanceledException)
                {
                    await Task.Yield();
                }
            }
        }),
        new("parallel", static async context =>
        {
            int sum = 0;
            await Parallel.ForEachAsync(Enumerable.Range(0, 8), async (i, _) =>
            {
                await Task.Yield();
                Interlocked.Add(ref sum, i);
            });
            Trace.Of(context).Add($"parallel {sum}");
            Look(context);
        }),
        new("own source", static async context =>
        {
            var source = new TaskCompletionSource<string>();
            _ = Task.Run(() => source.SetResult("set"));
            Trace.Of(context).Add(await source.Task);
            Look(context);
        }),
        new("lock", static async context =>
        {
            using var turn = new SemaphoreSlim(1);
            await turn.WaitAsync();
            Task second = turn.WaitAsync();
            await Task.Yield();
            turn.Release();
            await second;
            Look(context);
        }),
        new("look", static context =>
        {
            Look(context);
            return Task.CompletedTask;
        }),
        new("set what flows", static async context =>
        {
            OwnParts.Local.Value += "handler ";
            CultureInfo.CurrentCulture = new CultureInfo("") { NumberFormat = { NumberDecimalSeparator = "?" } };
            using var activity = new Activity("handler").Start();
            await Task.Yield();
            Look(context);
        }),
        new("set items", static context =>
        {
            context.Items["handler"] = "set";
            return Task.CompletedTask;
        }),
        new("session", static async context =>
        {
            if (context.Features.Get<ISessionFeature>()?.Session is { } session)
            {
                await session.LoadAsync();
                session.SetString("key", $"{session.GetString("key")}value");
                Trace.Of(context).Add($"session {session.GetString("key")}");
            }
        }),
        new("service", static context =>
        {
            var one = context.RequestServices.GetRequiredService<ScopedThing>();
            Trace.Of(context).Add($"service {ReferenceEquals(one, context.RequestServices.GetRequiredService<ScopedThing>())}");
            return Task.CompletedTask;
        }),
        new("log", static async context =>
        {
            var logger = context.RequestServices.GetRequiredService<ILoggerFactory>().CreateLogger("Scene");
            using (logger.BeginScope("step"))
            {
                await Task.Yield();
                logger.LogWarning(new EventId(2, "Step"), "step");
            }
        }),
        new("suppressed flow", static async context =>
        {
            Task task;
            using (ExecutionContext.SuppressFlow())
            {
                task = Task.Run(() => Trace.Of(context).Add($"suppressed {Trace.Current is null} {OwnParts.Local.Value}"));
            }

            await task;
            Look(context);
        }),
    ];

    /// <summary>Writes down what is there of a request.</summary>
    public static void Look(HttpContext context)
    {
        string separator = CultureInfo.CurrentCulture.NumberFormat.NumberDecimalSeparator;
        bool isSame = ReferenceEquals(context.RequestServices.GetRequiredService<IHttpContextAccessor>().HttpContext, context);
        Trace.Of(context).Add(
            $"look: {OwnParts.Local.Value}{separator} {Activity.Current?.OperationName} {isSame} {context.User.Identity?.Name} {context.Items["part"]}"
            + $" {ReferenceEquals(Trace.Current, Trace.Of(context))} {context.Request.Path} {context.Response.HasStarted}"
            + $" {context.GetEndpoint()?.DisplayName}");
    }
}
