using AdaptivePool.Hosting.Tests.Apps;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Requests;

/// <summary>Endpoints that never wait run where the server put them, and come to the pool when they do.</summary>
public sealed class GuestTests
{
    [Fact]
    public async Task Endpoint_NeverWaits_BecomesAGuestAndIsTakenInWhenItWaits()
    {
        using var end = new ManualResetEventSlim(false, spinCount: 0);
        bool waits = false;
        await using var app = await TestApp.StartAsync(it =>
        {
            it.UseAdaptivePool();
            it.MapGet("/short", () =>
            {
                if (Volatile.Read(ref waits))
                {
                    end.Wait();
                }

                return GuestApps.Where();
            });
        });
        await GuestApps.EarnAsync(app, "/short");
        GuestApps.Snapshot(app, "GET /short").HasGuests.ShouldBeTrue();

        Volatile.Write(ref waits, true);
        Task<string> held = app.GetAsync("/short");
        await GuestApps.EventuallyAsync(() => !GuestApps.Snapshot(app, "GET /short").HasGuests);
        Volatile.Write(ref waits, false);
        (await app.GetAsync("/short")).ShouldBe(GuestApps.OnPool);
        end.Set();
        (await held).ShouldBe(GuestApps.OnServer);
    }

    [Fact]
    public async Task Endpoint_Awaits_IsAGuestFromBeginningToEnd()
    {
        await using var app = await TestApp.StartAsync(it =>
        {
            it.UseAdaptivePool();
            it.MapGet("/async", async () =>
            {
                string before = GuestApps.Where();
                await Task.Yield();
                return before == GuestApps.Where() ? before : "moved";
            });
        });
        await GuestApps.EarnAsync(app, "/async");
        await GuestApps.EventuallyAsync(async () => await app.GetAsync("/async") == GuestApps.OnServer);
    }

    [Fact]
    public async Task Endpoint_GuestThrows_AnswersAsEver()
    {
        await using var app = await TestApp.StartAsync(it =>
        {
            it.UseAdaptivePool();
            it.MapGet("/throws", (bool now) => now ? throw new InvalidTimeZoneException() : GuestApps.Where());
        });
        await GuestApps.EarnAsync(app, "/throws?now=false");
        using var answer = await app.Client.GetAsync(new Uri("/throws?now=true", UriKind.Relative));
        ((int)answer.StatusCode).ShouldBe(500);
        (await app.GetAsync("/throws?now=false")).ShouldBe(GuestApps.OnServer);
    }

    [Fact]
    public async Task Endpoint_SaysWhereOrHowItRuns_IsNoGuest()
    {
        await using var app = await TestApp.StartAsync(
            static it =>
            {
                it.UseAdaptivePool();
                it.MapGet("/named", GuestApps.Where).RunOnAdaptivePool("named");
                it.MapGet("/bounded", GuestApps.Where).LimitQueue(maxQueued: 1_000);
                it.MapGet("/strict", GuestApps.Where).OnBlocking(BlockingAction.Warn);
                it.MapGet("/gated", GuestApps.Where).RequireTransactionGate("bank of guests");
            },
            static it =>
            {
                it.Services.AddAdaptivePool();
                it.Services.AddTransactionGate("bank of guests", static options => options.PermitLimit = 8);
            });
        foreach (string path in (string[])["/named", "/bounded", "/strict", "/gated"])
        {
            await GuestApps.AskAsync(app, path, 600);
            (await app.GetAsync(path)).ShouldBe(GuestApps.OnPool, path);
        }
    }

    [Fact]
    public async Task Guests_Never_AllRunOnThePool()
    {
        await using var app = await TestApp.StartAsync(
            static it =>
            {
                it.UseAdaptivePool();
                it.MapGet("/short", GuestApps.Where);
            },
            static it => it.Services.AddAdaptivePool(static options => options.Guests = false));
        await GuestApps.AskAsync(app, "/short", 600);
        (await app.GetAsync("/short")).ShouldBe(GuestApps.OnPool);
        GuestApps.Snapshot(app, "GET /short").GuestReason.ShouldBeEmpty();
    }

    [Fact]
    public async Task Endpoint_BehindTwoPlaces_IsOneGuest()
    {
        // It was counted at each of them.
        await using var app = await TestApp.StartAsync(it =>
        {
            it.UseAdaptivePool();
            it.Use(static async (context, next) =>
            {
                await Task.Yield();
                await next(context);
            });
            it.UseAdaptivePool();
            it.MapGet("/short", GuestApps.Where);
        });
        await GuestApps.EarnAsync(app, "/short");
        long before = GuestApps.Snapshot(app, "GET /short").GuestRequests;
        int guests = 0;
        for (int i = 0; i < 20; i++)
        {
            guests += await app.GetAsync("/short") == GuestApps.OnServer ? 1 : 0;
        }

        // One that begins as a guest may end elsewhere.
        guests.ShouldBeGreaterThan(10);
        (GuestApps.Snapshot(app, "GET /short").GuestRequests - before).ShouldBeInRange(guests, 20);
    }
}
