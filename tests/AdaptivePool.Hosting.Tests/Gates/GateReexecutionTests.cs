using System.Net;
using AdaptivePool.Hosting.Tests.Apps;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Gates;

/// <summary>Middleware behind a gate that handles errors: it answers in place of the endpoint.</summary>
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
}
