using AdaptivePool.Admission;
using AdaptivePool.Control;
using AdaptivePool.Hosting.Tests.Apps;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Gates;

/// <summary>Where on the pool a request runs that a gate has let in.</summary>
public sealed class GatePlaceTests
{
    private const string Shared = "shared";

    /// <summary>The class has one slot, which a request holds while others wait behind it; the one with the permit must not wait for any of them.</summary>
    [Fact]
    public async Task Request_HoldsAPermit_DoesNotWaitBehindAFullClass()
    {
        using var door = new ManualResetEventSlim();
        await using var app = await StartAsync(door, static o => o.PermitLimit = 1);
        var ahead = await FillAsync(app);

        using var paid = await app.SendAsync("/pay");

        (await paid.Content.ReadAsStringAsync()).ShouldBe("(in flight);shared");
        ahead.ShouldAllBe(static request => !request.IsCompleted);
        door.Set();
        (await Task.WhenAll(ahead)).ShouldAllBe(static response => response.IsSuccessStatusCode);
    }

    [Fact]
    public async Task Request_AwaitsAndGoesOn_DoesNotWaitBehindAFullClassEither()
    {
        using var door = new ManualResetEventSlim();
        await using var app = await StartAsync(door, static o => o.PermitLimit = 1);
        var ahead = await FillAsync(app);

        using var paid = await app.SendAsync("/pay-later");

        (await paid.Content.ReadAsStringAsync()).ShouldBe(Whereabouts.Pool);
        ahead.ShouldAllBe(static request => !request.IsCompleted);
        door.Set();
        (await Task.WhenAll(ahead)).ShouldAllBe(static response => response.IsSuccessStatusCode);
    }

    /// <summary>Nothing bounds how many they are but their class.</summary>
    [Theory]
    [InlineData("/pay", 0)]
    [InlineData("/admin", 1)]
    public async Task Request_HoldsNoneOfABoundedNumberOfPermits_WaitsInItsClass(string path, int limit)
    {
        using var door = new ManualResetEventSlim();
        await using var app = await StartAsync(door, o => o.PermitLimit = limit);
        var ahead = await FillAsync(app);

        var request = app.SendAsync(path);

        await app.UntilAsync(_ => QueuedIn(app, Shared) == 4);
        request.IsCompleted.ShouldBeFalse();
        door.Set();
        using var response = await request;
        response.IsSuccessStatusCode.ShouldBeTrue();
        (await Task.WhenAll(ahead)).ShouldAllBe(static it => it.IsSuccessStatusCode);
    }

    /// <summary>What stands before the class is bounded by the gate: the pool neither measures another limit for it nor tries one.</summary>
    [Fact]
    public async Task Class_BehindAGate_IsNotProbed()
    {
        await using var app = await GateApp.StartAsync(static o => o.PermitLimit = 2, static it => it.MapGet("/item/{id}", static (int id) =>
        {
            // A system call's wait: not one that the hook sees and answers with another worker.
            Thread.Sleep(2);
            return $"{id}";
        }).RunOnAdaptivePool("bank").RequireTransactionGate("bank"));

        var answers = await Task.WhenAll(Enumerable.Range(0, 200).Select(i => app.App.GetAsync($"/item/{i}")));

        answers.ShouldBe(Enumerable.Range(0, 200).Select(static i => $"{i}"));
        var bank = app.App.Pool.GetSnapshot().Classes.Single(static it => it.Name == "bank");
        (bank.PeakLimit, bank.Completed).ShouldBe((app.App.Pool.GetClass("never used").GetSnapshot().PeakLimit, 0));
        app.App.Pool.GetSnapshot().Rescues.ShouldBe(0);
    }

    private static Task<GateApp> StartAsync(ManualResetEventSlim door, Action<TransactionGateOptions> configure) => GateApp.StartAsync(
        configure,
        it =>
        {
            it.MapGet("/stand", () => door.Wait(TestApp.Patience) ? Results.Ok() : Results.StatusCode(StatusCodes.Status408RequestTimeout))
                .RunOnAdaptivePool(Shared);
            it.MapGet("/pay", () => it.ActiveClassesNow()).RunOnAdaptivePool(Shared).RequireTransactionGate("bank");
            it.MapGet("/admin", static () => Results.Ok()).RunOnAdaptivePool(Shared).RequireTransactionGate("bank", TransactionPriority.Admin);
            it.MapGet("/pay-later", async () =>
            {
                await Task.Delay(1);
                return Whereabouts.Here();
            }).RunOnAdaptivePool(Shared).RequireTransactionGate("bank");
        },
        static builder => builder.Services.AddAdaptivePool(static options => options.Sizing = PoolSizing.Fixed(1)));

    /// <summary>One request holds the class's only slot, three wait for it.</summary>
    private static async Task<List<Task<HttpResponseMessage>>> FillAsync(GateApp app)
    {
        var requests = Enumerable.Range(0, 4).Select(_ => app.SendAsync("/stand")).ToList();
        await app.UntilAsync(_ => QueuedIn(app, Shared) == 3);
        return requests;
    }

    private static long QueuedIn(GateApp app, string name) => app.App.Pool.GetClass(name).GetSnapshot().Queued;
}
