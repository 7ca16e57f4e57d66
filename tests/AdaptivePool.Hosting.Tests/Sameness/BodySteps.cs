using System.IO.Pipelines;
using System.Runtime.CompilerServices;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.DependencyInjection;

namespace AdaptivePool.Hosting.Tests.Sameness;

/// <summary>Steps that read the request, write the answer, and have callbacks of it.</summary>
internal static class BodySteps
{
    public static Step[] All { get; } =
    [
        new("read all", static async context =>
        {
            using var reader = new StreamReader(context.Request.Body, leaveOpen: true);
            Trace.Of(context).Add($"read {(await reader.ReadToEndAsync()).Length}");
        }),
        new("read in parts", static async context =>
        {
            byte[] part = new byte[100];
            int length = 0;
            for (int read; (read = await context.Request.Body.ReadAsync(part)) > 0; length += read)
            {
                await Task.Yield();
            }

            Trace.Of(context).Add($"read {length}");
        }),
        new("read the pipe", static async context =>
        {
            long length = 0;
            bool hasMore = true;
            while (hasMore)
            {
                ReadResult result = await context.Request.BodyReader.ReadAsync();
                hasMore = !result.IsCompleted;
                length += result.Buffer.Length;
                context.Request.BodyReader.AdvanceTo(result.Buffer.End);
            }

            Trace.Of(context).Add($"read {length}");
        }),
        new("read the form", static async context =>
            Trace.Of(context).Add(context.Request.HasFormContentType ? $"form {(await context.Request.ReadFormAsync()).Count}" : "no form")),
        new("read at once", static async context =>
        {
            Allow(context, isAllowed: true);
            Trace.Of(context).Add($"read {(MayBlock(context) ? context.Request.Body.Read(new byte[1]) : await context.Request.Body.ReadAsync(new byte[1]))}");
        }),
        new("read at once, not allowed", static context =>
        {
            Allow(context, isAllowed: false);
            Trace.Of(context).Add($"read {context.Request.Body.Read(new byte[1])}");
            return Task.CompletedTask;
        }),
        new("limit the body", static context =>
        {
            if (context.Features.Get<IHttpMaxRequestBodySizeFeature>() is { IsReadOnly: false } limit)
            {
                limit.MaxRequestBodySize = 10;
            }

            return Task.CompletedTask;
        }),
        new("write", static context => context.Response.WriteAsync("written ")),
        new("write much", static context => context.Response.WriteAsync(new string('m', 100_000))),
        new("write at once", static async context =>
        {
            Allow(context, isAllowed: true);
            if (MayBlock(context))
            {
                context.Response.Body.Write("at once "u8);
            }
            else
            {
                await context.Response.Body.WriteAsync("at once "u8.ToArray());
            }
        }),
        new("write and flush", static async context =>
        {
            await context.Response.WriteAsync("flushed ");
            await context.Response.Body.FlushAsync();
            await Task.Yield();
            await context.Response.WriteAsync("more ");
        }),
        new("write the pipe", static async context =>
        {
            context.Response.BodyWriter.GetMemory(8).Span[..8].Fill((byte)'p');
            context.Response.BodyWriter.Advance(8);
            await context.Response.BodyWriter.FlushAsync();
        }),
        new("start", static context => context.Response.StartAsync()),
        new("complete", static context => context.Response.CompleteAsync()),
        new("status", static context => Unstarted(context, static response => response.StatusCode = 202)),
        new("status of an error", static context => Unstarted(context, static response => response.StatusCode = 404)),
        new("header", static context => Unstarted(context, static response => response.Headers.Append("X-Step", "set"))),
        new("header too late", static context =>
        {
            context.Response.Headers["X-Late"] = "set";
            return Task.CompletedTask;
        }),
        new("length", static context => Unstarted(context, static response => response.ContentLength = 8)),
        new("cookie", static context => Unstarted(context, static response => response.Cookies.Append("name", "value"))),
        new("trailer", static context =>
        {
            if (context.Response.SupportsTrailers() && !context.Response.HasStarted)
            {
                context.Response.DeclareTrailer("X-Trailer");
                context.Response.AppendTrailer("X-Trailer", "trailed");
            }

            return Task.CompletedTask;
        }),
        new("on starting", static context => Unstarted(context, response =>
        {
            var trace = Trace.Of(context);
            response.OnStarting(async () =>
            {
                trace.Add($"starting {OwnParts.Local.Value}");
                await Task.Yield();
                trace.Add("starting later");
                response.Headers["X-Starting"] = "set";
            });
        })),
        new("on starting, throws", static context => Unstarted(
            context, static response => response.OnStarting(static () => throw new InvalidOperationException("starting")))),
        new("on completed", static context =>
        {
            var trace = Trace.Of(context);
            context.Response.OnCompleted(async () =>
            {
                trace.Add($"completed {context.Response.StatusCode}");
                await Task.Delay(1);
                trace.Add("completed later");
            });
            return Task.CompletedTask;
        }),
        new("on completed, throws", static context =>
        {
            context.Response.OnCompleted(static () => throw new InvalidOperationException("completed"));
            return Task.CompletedTask;
        }),
        new("send a file", static context => context.Response.SendFileAsync(File)),
        new("send a part of a file", static context => context.Response.SendFileAsync(File, 10, 1_000)),
        new("send a file that is not there", static context => context.Response.SendFileAsync(File + ".none")),
        new("result: json", static context => Results.Json(new { Name = "value" }).ExecuteAsync(context)),
        new("result: text", static context => Results.Text("text", statusCode: 201).ExecuteAsync(context)),
        new("result: stream", static context => Results.Stream(new MemoryStream(new byte[5_000]), "text/plain").ExecuteAsync(context)),
        new("result: file", static context => Results.File(File, "text/plain", enableRangeProcessing: true).ExecuteAsync(context)),
        new("result: problem", static context => Results.Problem("detail", statusCode: 409).ExecuteAsync(context)),
        new("result: redirect", static context => Results.Redirect("/elsewhere").ExecuteAsync(context)),
        new("result: nothing", static context => Results.NoContent().ExecuteAsync(context)),
        new("result: items", static context => Results.Ok(ItemsAsync(context, fails: false)).ExecuteAsync(context)),
        new("result: items that fail", static context => Results.Ok(ItemsAsync(context, fails: true)).ExecuteAsync(context)),
        new("result: events", static context => TypedResults.ServerSentEvents(ItemsAsync(context, fails: false), "event").ExecuteAsync(context)),
        new("result: events that fail", static context => TypedResults.ServerSentEvents(ItemsAsync(context, fails: true)).ExecuteAsync(context)),
        new("result: challenge", static context => Results.Challenge().ExecuteAsync(context)),
        new("replace the body", static async context =>
        {
            Stream body = context.Response.Body;
            using var buffer = new MemoryStream();
            context.Response.Body = buffer;
            await context.Response.WriteAsync("replaced ");
            context.Response.Body = body;
            buffer.Position = 0;
            await buffer.CopyToAsync(body);
        }),
        new("leave the body replaced", static context =>
        {
            context.Response.Body = new MemoryStream();
            return context.Response.WriteAsync("lost ");
        }),
    ];

    private static string File => Path.Combine(AppContext.BaseDirectory, "AdaptivePool.Hosting.Tests.runtimeconfig.json");

    /// <summary>With few threads a wait for the server's own code would be one for the thread that waits: docs/blocking.md.</summary>
    private static bool MayBlock(HttpContext context) => context.RequestServices.GetRequiredService<Setting>().MaxThreads is null;

    private static void Allow(HttpContext context, bool isAllowed)
    {
        if (context.Features.Get<IHttpBodyControlFeature>() is { } control)
        {
            control.AllowSynchronousIO = isAllowed;
        }
    }

    private static Task Unstarted(HttpContext context, Action<HttpResponse> change)
    {
        if (!context.Response.HasStarted)
        {
            change(context.Response);
        }

        return Task.CompletedTask;
    }

    private static async IAsyncEnumerable<string> ItemsAsync(HttpContext context, bool fails, [EnumeratorCancellation] CancellationToken cancelled = default)
    {
        var trace = Trace.Of(context);
        try
        {
            for (int i = 0; i < 4; i++)
            {
                trace.Add($"item {i} {OwnParts.Local.Value}");
                yield return $"item {i}";
                await Task.Delay(i % 2, cancelled);
                if (fails && i == 2)
                {
                    throw new InvalidTimeZoneException("items");
                }
            }
        }
        finally
        {
            trace.Add("items end");
        }
    }
}
