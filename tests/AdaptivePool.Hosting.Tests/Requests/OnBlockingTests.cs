using System.Net;
using AdaptivePool.Hosting.Tests.Apps;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Diagnostics;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Requests;

/// <summary>Endpoints that must not block.</summary>
public sealed class OnBlockingTests
{
    [Theory]
    [InlineData("/strict")]
    [InlineData("/strict/later")]
    [InlineData("/places/strict")]
    public async Task Throw_HandlerBlocks_GetsTheExceptionAtItsWait(string path)
    {
        var handler = new Recorder();
        await using var app = await StartAsync(handler);

        using var answer = await app.Client.GetAsync(new Uri(path, UriKind.Relative));

        answer.StatusCode.ShouldBe(HttpStatusCode.InternalServerError);
        handler.Seen.ShouldBeOfType<BlockingNotAllowedException>().Kind.ShouldBe("event");
    }

    [Fact]
    public async Task Throw_OnOneEndpoint_LeavesOthersOfTheSameClassAlone()
    {
        await using var app = await StartAsync(new Recorder());

        using var strict = await app.Client.GetAsync(new Uri("/strict", UriKind.Relative));
        strict.StatusCode.ShouldBe(HttpStatusCode.InternalServerError);
        for (var i = 0; i < 5; i++)
        {
            (await app.GetAsync("/lenient")).ShouldBe("1");
        }

        (await app.GetAsync("/strict/awaits")).ShouldBe("1");
    }

    [Fact]
    public async Task Warn_HandlerBlocks_AnswersAndIsLogged()
    {
        var log = new RecordedLog();
        await using var app = await StartAsync(new Recorder(), log);

        (await app.GetAsync("/warned")).ShouldBe("1");

        SpinWait.SpinUntil(() => log.Lines.Any(static line => line.Event == "BlockingFound"), TestApp.Patience).ShouldBeTrue();
        log.Lines.Single(static line => line.Event == "BlockingFound").Text
            .ShouldMatch("blocks a worker of class 'GET /warned'.*Use await");
    }

    [Fact]
    public async Task Start_MetadataWithoutTheMiddleware_IsRefused()
    {
        await using var application = TestApp.Build(static it => it.MapGet("/strict", Blocks).OnBlocking(BlockingAction.Throw));

        (await Should.ThrowAsync<InvalidOperationException>(() => application.StartAsync())).Message.ShouldContain("UseAdaptivePool()");
    }

    [Fact]
    public void OnBlocking_UnknownAction_IsRefused() =>
        Should.Throw<ArgumentOutOfRangeException>(static () => TestApp.Build(static it => it.MapGet("/", Blocks).OnBlocking((BlockingAction)5))).Message
            .ShouldStartWith("action is '5'; allowed: Ignore, Warn or Throw.");

    private static Task<TestApp> StartAsync(Recorder handler, RecordedLog? log = null) => TestApp.StartAsync(
        static it =>
        {
            it.UseExceptionHandler(static _ => { });
            it.UseAdaptivePool();
            it.MapGet("/strict", Blocks).RunOnAdaptivePool("shared").OnBlocking(BlockingAction.Throw);
            it.MapGet("/strict/later", BlocksLaterAsync).OnBlocking(BlockingAction.Throw);
            it.MapGet("/strict/awaits", AwaitsAsync).OnBlocking(BlockingAction.Throw);
            it.MapGet("/lenient", Blocks).RunOnAdaptivePool("shared");
            it.MapGet("/warned", Blocks).OnBlocking(BlockingAction.Warn);
            it.MapControllers();
        },
        builder =>
        {
            if (log is not null)
            {
                builder.Logging.AddProvider(log);
            }

            builder.Services.AddAdaptivePool().AddSingleton<IExceptionHandler>(handler);
            builder.Services.AddControllers().AddApplicationPart(typeof(PlacesController).Assembly);
        });

    /// <summary>Reaches the wait hook every time, also on a machine so busy that a task would have ended before the wait.</summary>
    private static int Blocks()
    {
        using var signal = new AutoResetEvent(true);
        signal.WaitOne();
        return 1;
    }

    private static async Task<int> BlocksLaterAsync()
    {
        await Task.Yield();
        return Blocks();
    }

    private static async Task<int> AwaitsAsync()
    {
        await Task.Delay(20);
        return 1;
    }

    private sealed class Recorder : IExceptionHandler
    {
        public Exception? Seen { get; private set; }

        public ValueTask<bool> TryHandleAsync(HttpContext httpContext, Exception exception, CancellationToken cancellationToken)
        {
            Seen = exception;
            httpContext.Response.StatusCode = StatusCodes.Status500InternalServerError;
            return new ValueTask<bool>(true);
        }
    }
}
