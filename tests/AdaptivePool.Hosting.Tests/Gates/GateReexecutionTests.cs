using System.Net;
using AdaptivePool.Admission;
using AdaptivePool.Hosting.Tests.Apps;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Gates;

/// <summary>Middleware behind a gate that handles errors: it answers in place of the endpoint, or runs the request once more as another endpoint.</summary>
public sealed class GateReexecutionTests
{
    [Fact]
    public async Task CancelledByAnAdministratorBehindAnExceptionHandler_Is503()
    {
        // It was ended as 499, as if its client had gone.
        await using var app = await GateApp.StartAsync(static o => o.PermitLimit = 1, static it =>
        {
            it.UseExceptionHandler(static handler => handler.Run(static context => context.Response.WriteAsync("handled")));
            it.MapGet("/endless", static (HttpContext context) => Task.Delay(Timeout.InfiniteTimeSpan, context.RequestAborted)).RequireTransactionGate("bank");
        });
        var inside = app.SendAsync("/endless");
        await app.UntilAsync(static gate => gate.Held == 1);

        app.Gate.Cancel(app.Gate.GetLeases().Single().Id).ShouldBeTrue();

        (await inside).StatusCode.ShouldBe(HttpStatusCode.ServiceUnavailable);
        await app.UntilAsync(static gate => gate.Held == 0);
    }

    [Fact]
    public async Task CancelledByAnAdministratorInAProxyThatAnswers400_Is503()
    {
        // As YARP does, to which a client seems to have gone.
        await using var app = await GateApp.StartAsync(static o => o.PermitLimit = 1, static it => it.MapGet("/proxied", static async (HttpContext context) =>
        {
            try
            {
                await Task.Delay(Timeout.InfiniteTimeSpan, context.RequestAborted);
            }
            catch (OperationCanceledException)
            {
                context.Response.StatusCode = StatusCodes.Status400BadRequest;
            }
        }).RequireTransactionGate("bank"));
        var inside = app.SendAsync("/proxied");
        await app.UntilAsync(static gate => gate.Held == 1);

        app.Gate.Cancel(app.Gate.GetLeases().Single().Id).ShouldBeTrue();

        (await inside).StatusCode.ShouldBe(HttpStatusCode.ServiceUnavailable);
        await app.UntilAsync(static gate => gate.Held == 0);
    }

    [Fact]
    public async Task EndpointSetsATokenOfItsOwn_AnExceptionHandlerBeforeTheGateSeesIt()
    {
        // The gate put back the token that it had found, and the cancellation was answered as an error.
        await using var app = await GateApp.StartAsync(
            static o => o.PermitLimit = 1,
            static it => it.MapGet("/own", static Task (HttpContext context) =>
            {
                context.RequestAborted = new CancellationToken(canceled: true);
                return Task.FromCanceled(context.RequestAborted);
            }).RequireTransactionGate("bank"),
            before: static it => it.UseExceptionHandler(static handler => handler.Run(static context => context.Response.WriteAsync("handled"))));

        using var answer = await app.SendAsync("/own");

        ((int)answer.StatusCode).ShouldBe(StatusCodes.Status499ClientClosedRequest);
    }

    [Fact]
    public async Task RunAgainAsAnEndpointOfAnotherGate_PastThatGate_Throws()
    {
        // The lease of the first gate let it in.
        var ran = 0;
        await using var app = await StartAsync(
            it => it.MapGet("/other", () => Interlocked.Increment(ref ran)).RequireTransactionGate("other"),
            entersAgain: false);

        (await app.SendAsync("/missing")).StatusCode.ShouldBe(HttpStatusCode.InternalServerError);

        ran.ShouldBe(0);
        await app.UntilAsync(static gate => gate.Held == 0);
    }

    [Fact]
    public async Task RunAgainAsAnEndpointOfAnotherGate_EntersThatToo()
    {
        await using var app = await StartAsync(
            static it => it.MapGet("/other", (
                HttpContext context, [FromKeyedServices("bank")] TransactionGate bank, [FromKeyedServices("other")] TransactionGate other) =>
                    $"{bank.GetSnapshot().Held} {other.GetSnapshot().Held} {context.Features.Get<TransactionLease>()!.Name}").RequireTransactionGate("other"),
            entersAgain: true);

        using var answer = await app.SendAsync("/missing");

        (await answer.Content.ReadAsStringAsync()).ShouldBe("1 1 GET /other");
        await app.UntilAsync(static gate => gate.Held == 0);
        app.App.Application.Services.GetRequiredKeyedService<TransactionGate>("other").GetSnapshot().Held.ShouldBe(0);
    }

    [Fact]
    public async Task BackAtTheFirstGateInsideOfTheSecond_DoesNotEnterItAgain()
    {
        // Only the gate that was entered last was looked at: the request asked the first one once more, and waited for itself.
        await using var app = await StartAsync(
            static it =>
            {
                it.MapGet("/other", static () => "other").RequireTransactionGate("other");
                it.MapGet("/again", static () => "again").RequireTransactionGate("bank").WithDisplayName("again");
                it.Use(static (context, next) =>
                {
                    if (context.Request.Path == "/other")
                    {
                        context.SetEndpoint(context.RequestServices.GetRequiredService<EndpointDataSource>().Endpoints.Single(
                            static endpoint => endpoint.DisplayName == "again"));
                    }

                    return next(context);
                });
                it.UseTransactionGates();
            },
            entersAgain: true);

        using var answer = await app.SendAsync("/missing");

        (await answer.Content.ReadAsStringAsync()).ShouldBe("again");
        await app.UntilAsync(static gate => gate.Held == 0);
    }

    private static Task<GateApp> StartAsync(Action<WebApplication> map, bool entersAgain) => GateApp.StartAsync(
        static o => o.PermitLimit = 1,
        it =>
        {
            it.UseStatusCodePagesWithReExecute("/other");
            if (entersAgain)
            {
                it.UseTransactionGates();
            }

            it.MapGet("/missing", static () => Results.NotFound()).RequireTransactionGate("bank");
            map(it);
        },
        static it => it.Services.AddTransactionGate("other", static o => o.PermitLimit = 1));
}
