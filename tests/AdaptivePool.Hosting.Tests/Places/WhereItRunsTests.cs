using AdaptivePool.Hosting.Tests.Apps;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Places;

/// <summary>The table of docs/where-it-runs.md, row by row. Requests are in RequestPlaceTests.</summary>
public sealed class WhereItRunsTests
{
    private const string OnlyWhatIsRun = "runtime, runtime, pool";

    [Fact]
    public async Task HostedService_RunsOnTheRuntimesPoolExceptWhatItRunsOnThePool()
    {
        await using var app = await StartAsync(static builder => builder.Services.AddHostedService<NotingService>());

        (await NotesOf(app).Places).ShouldBe(OnlyWhatIsRun);
    }

    [Fact]
    public async Task Timer_RunsOnTheRuntimesPoolExceptWhatItRunsOnThePool()
    {
        await using var app = await StartAsync();
        var notes = NotesOf(app);
        await using var timer = new Timer(static notes => _ = ((PlaceNotes)notes!).TakeAsync(), notes, 0, Timeout.Infinite);

        (await notes.Places).ShouldBe(OnlyWhatIsRun);
    }

    [Fact]
    public async Task PeriodicTimer_TicksWhereItIsAwaited()
    {
        await using var app = await StartAsync();
        var place = await app.Pool.Run(static async () =>
        {
            using var timer = new PeriodicTimer(TimeSpan.FromMilliseconds(1));
            await timer.WaitForNextTickAsync();
            return Whereabouts.Here();
        });

        place.ShouldBe(Whereabouts.Pool);
    }

    [Fact]
    public async Task BlazorPage_RendersOnThePool_AndGoesOnWhereItsRendererDoes()
    {
        await using var app = await StartAsync(
            static builder => builder.Services.AddRazorComponents(),
            static it =>
            {
                it.UseAntiforgery();
                it.MapRazorComponents<PlaceRoot>();
            });

        // The renderer has a context of its own, which goes on wherever the awaited task ended.
        (await app.GetAsync("/page")).ShouldBe("pool, runtime");
    }

    [Fact]
    public async Task BlazorCircuit_GoesOnOnTheRuntimesPoolExceptWhatItRunsOnThePool()
    {
        await using var app = await StartAsync(
            static builder => builder.Services.AddServerSideBlazor(),
            static it => it.MapBlazorHub());
        var name = Guid.NewGuid().ToString("N");
        PlaceButton.Add(name, NotesOf(app));
        await using var client = new BlazorClient();
        using var patience = new CancellationTokenSource(TestApp.Patience);
        await client.OpenCircuitAsync(app.Address, patience.Token);
        await client.CallAsync("AdaptivePool.Hosting.Tests", nameof(PlaceButton.Click), name, patience.Token);

        // It begins on the thread that read the message, which may be either.
        (await NotesOf(app).Places).ShouldEndWith(", runtime, pool");
    }

    private static PlaceNotes NotesOf(TestApp app) => app.Application.Services.GetRequiredService<PlaceNotes>();

    private static Task<TestApp> StartAsync(Action<WebApplicationBuilder>? build = null, Action<WebApplication>? map = null) => TestApp.StartAsync(
        it =>
        {
            it.UseAdaptivePool();
            map?.Invoke(it);
        },
        builder =>
        {
            builder.Services.AddAdaptivePool();
            builder.Services.AddSingleton<PlaceNotes>();
            build?.Invoke(builder);
        });
}
