using System.Buffers;
using AdaptivePool.Hosting.Tests.Apps;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.FileProviders;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Requests;

/// <summary>Guests whose answer is a file: the server reads it, and the guest goes on where the last read has ended.</summary>
public sealed class GuestFileTests : IDisposable
{
    private const int Bytes = 300_000;
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("guest-files");
    private readonly string _text = string.Concat(Enumerable.Range(0, Bytes / 10).Select(static i => $"{i:d10}"));

    public GuestFileTests() => File.WriteAllText(Path.Combine(_folder.FullName, "large.txt"), _text);

    public void Dispose() => _folder.Delete(recursive: true);

    [Fact]
    public async Task File_OfAGuest_IsSentWholeAndWhatFollowsRunsUnderItsContext()
    {
        SynchronizationContext? before = null;
        SynchronizationContext? after = null;
        await using var app = await StartAsync(async (context, next) =>
        {
            before = SynchronizationContext.Current;
            await next(context);
            after = SynchronizationContext.Current;
        });
        await EarnAsync(app);
        for (int i = 0; i < 20; i++)
        {
            (await app.GetAsync("/large.txt")).ShouldBe(_text);
        }

        before.ShouldNotBeNull();
        after.ShouldBe(before);
        GuestApps.Snapshot(app, "default").GuestRequests.ShouldBeGreaterThan(0);
    }

    [Fact]
    public async Task File_OfAGuest_Ends_TheGuestGoesOnThere()
    {
        string stack = "";
        await using var app = await StartAsync(async (context, next) =>
        {
            if (context.Features.Get<IHttpResponseBodyFeature>() is { } body && context.Request.Path == "/large.txt")
            {
                await body.SendFileAsync(Path.Combine(_folder.FullName, "large.txt"), 0, null);
                stack = Environment.StackTrace;
            }
            else
            {
                await next(context);
            }
        });
        await GuestApps.EventuallyAsync(async () =>
        {
            await GuestApps.AskAsync(app, "/nothing", 300);
            (await app.GetAsync("/large.txt")).ShouldBe(_text);

            // Inline in the server's read. Where the file was sent at once, nothing was awaited.
            return stack.Contains("GuestResponseBody", StringComparison.Ordinal);
        });
    }

    [Fact]
    public async Task File_OfAGuest_IsNotThere_ThrowsWhereItIsSent()
    {
        FileNotFoundException? thrown = null;
        await using var app = await StartAsync(async (context, next) =>
        {
            if (context.Request.Path != "/missing.txt")
            {
                await next(context);
                return;
            }

            try
            {
                await context.Response.SendFileAsync(Path.Combine(_folder.FullName, "missing.txt"));
            }
            catch (FileNotFoundException exception)
            {
                thrown = exception;
                context.Response.StatusCode = StatusCodes.Status404NotFound;
            }
        });
        await EarnAsync(app);
        using var answer = await app.Client.GetAsync(new Uri("/missing.txt", UriKind.Relative));

        ((int)answer.StatusCode).ShouldBe(404);
        thrown.ShouldNotBeNull();
        (await app.GetAsync("/large.txt")).ShouldBe(_text);
    }

    [Fact]
    public async Task Guest_Ends_MiddlewareBeforeThePoolHasTheServersBodyBack()
    {
        await using var app = await TestApp.StartAsync(it =>
        {
            it.Use(async (context, next) =>
            {
                Stream body = context.Response.Body;
                using var kept = new MemoryStream();
                context.Response.Body = kept;
                await next(context);
                context.Response.Body = body;

                // Not flushed: the server does that at the end, if the writer is its own.
                context.Response.BodyWriter.Write([.. kept.ToArray(), (byte)'!']);
            });
            it.UseAdaptivePool();
            it.Run(static context => context.Response.WriteAsync("text"));
        });
        await EarnAsync(app);
        await GuestApps.EventuallyAsync(async () =>
        {
            long before = GuestApps.Snapshot(app, "default").GuestRequests;
            (await app.GetAsync("/")).ShouldBe("text!");
            return GuestApps.Snapshot(app, "default").GuestRequests > before;
        });
    }

    private static Task EarnAsync(TestApp app) => GuestApps.EventuallyAsync(async () =>
    {
        await GuestApps.AskAsync(app, "/nothing", 300);
        return GuestApps.Snapshot(app, "default").HasGuests;
    });

    private Task<TestApp> StartAsync(Func<HttpContext, RequestDelegate, Task> middleware) => TestApp.StartAsync(it =>
    {
        it.UseAdaptivePool();
        it.Use(middleware);
        it.UseStaticFiles(new StaticFileOptions { FileProvider = new PhysicalFileProvider(_folder.FullName) });
        it.Run(static context => context.Response.WriteAsync("none"));
    });
}
