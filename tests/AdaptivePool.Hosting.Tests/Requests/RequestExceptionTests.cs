using System.Net;
using AdaptivePool.Hosting.Tests.Apps;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Diagnostics;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Requests;

public sealed class RequestExceptionTests
{
    [Theory]
    [InlineData("/sync")]
    [InlineData("/async")]
    public async Task DeveloperExceptionPage_EndpointThrows_ShowsTheOriginalException(string path)
    {
        await using var app = await TestApp.StartAsync(it =>
        {
            it.UseDeveloperExceptionPage();
            MapThrowing(it);
        });

        using var answer = await app.Client.GetAsync(new Uri(path, UriKind.Relative));
        var page = await answer.Content.ReadAsStringAsync();

        answer.StatusCode.ShouldBe(HttpStatusCode.InternalServerError);
        page.ShouldContain(nameof(BrokenException));
        page.ShouldContain("it is broken");
        page.ShouldContain(nameof(ThrowBroken));
    }

    [Theory]
    [InlineData("/sync")]
    [InlineData("/async")]
    public async Task ExceptionHandler_EndpointThrows_GetsTheOriginalExceptionWithItsStack(string path)
    {
        var handler = new RecordingExceptionHandler();
        await using var app = await TestApp.StartAsync(
            it =>
            {
                it.UseExceptionHandler(static _ => { });
                MapThrowing(it);
            },
            builder => builder.Services.AddAdaptivePool().AddSingleton<IExceptionHandler>(handler));

        using var answer = await app.Client.GetAsync(new Uri(path, UriKind.Relative));

        answer.StatusCode.ShouldBe((HttpStatusCode)418);
        var exception = handler.Seen.ShouldBeOfType<BrokenException>();
        exception.Message.ShouldBe("it is broken");
        exception.StackTrace.ShouldNotBeNull().ShouldContain(nameof(ThrowBroken));
    }

    [Fact]
    public async Task ExceptionHandler_ReExecutesPipeline_ErrorEndpointRunsOnWorker()
    {
        await using var app = await TestApp.StartAsync(it =>
        {
            it.UseExceptionHandler("/error");
            it.UseRouting();
            MapThrowing(it);
            it.MapGet("/error", Whereabouts.Here);
        });

        using var answer = await app.Client.GetAsync(new Uri("/sync", UriKind.Relative));

        answer.StatusCode.ShouldBe(HttpStatusCode.InternalServerError);
        (await answer.Content.ReadAsStringAsync()).ShouldBe(Whereabouts.Pool);
    }

    [Theory]
    [InlineData("/cancel-sync")]
    [InlineData("/cancel-async")]
    public async Task OuterMiddleware_EndpointIsCancelled_SeesACancelledTaskWithTheToken(string path)
    {
        Task? seen = null;
        using var source = new CancellationTokenSource();
        await source.CancelAsync();
        await using var app = await TestApp.StartAsync(it =>
        {
            it.Use(async (context, next) =>
            {
                var task = next(context);
                await task.ContinueWith(static _ => { }, CancellationToken.None, TaskContinuationOptions.None, TaskScheduler.Default);
                seen = task;
            });
            it.UseAdaptivePool();
            it.Run(context => context.Request.Path == "/cancel-async" ? CancelLaterAsync() : throw new OperationCanceledException(source.Token));
        });

        await app.GetAsync(path);

        seen.ShouldNotBeNull().IsCanceled.ShouldBeTrue();
        var exception = await Should.ThrowAsync<OperationCanceledException>(() => seen!);
        exception.CancellationToken.ShouldBe(source.Token);

        async Task CancelLaterAsync()
        {
            await Task.Yield();
            throw new OperationCanceledException(source.Token);
        }
    }

    [Fact]
    public async Task Pipeline_ThrowsBeforeItReturnsATask_RequestFailsInsteadOfHanging()
    {
        await using var app = await TestApp.StartAsync(it =>
        {
            it.UseAdaptivePool();
            it.Run(static context => context.Request.Path == "/null" ? null! : ThrowBroken());
        });

        using var thrown = await app.Client.GetAsync(new Uri("/thrown", UriKind.Relative));
        using var missing = await app.Client.GetAsync(new Uri("/null", UriKind.Relative));

        thrown.StatusCode.ShouldBe(HttpStatusCode.InternalServerError);
        missing.StatusCode.ShouldBe(HttpStatusCode.InternalServerError);
    }

    private static void MapThrowing(WebApplication application)
    {
        application.UseAdaptivePool();
        application.MapGet("/sync", static () => { ThrowBroken(); });
        application.MapGet("/async", static async () =>
        {
            await Task.Delay(1);
            await ThrowBroken();
        });
    }

    private static Task ThrowBroken() => throw new BrokenException("it is broken");

    private sealed class BrokenException(string message) : Exception(message);

    private sealed class RecordingExceptionHandler : IExceptionHandler
    {
        public Exception? Seen { get; private set; }

        public ValueTask<bool> TryHandleAsync(HttpContext httpContext, Exception exception, CancellationToken cancellationToken)
        {
            Seen = exception;
            httpContext.Response.StatusCode = 418;
            return new ValueTask<bool>(true);
        }
    }
}
