using AdaptivePool.Hosting.Tests.Apps;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Requests;

/// <summary>Endpoints that never wait run where the server put them, and come to the pool when they do.</summary>
public sealed class GuestTests
{
    private const string OnPool = "pool";
    private const string OnServer = "server";

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

                return Where();
            });
        });
        await EarnAsync(app, "/short");
        Snapshot(app, "GET /short").HasGuests.ShouldBeTrue();

        Volatile.Write(ref waits, true);
        Task<string> held = app.GetAsync("/short");
        await EventuallyAsync(() => !Snapshot(app, "GET /short").HasGuests);
        Volatile.Write(ref waits, false);
        (await app.GetAsync("/short")).ShouldBe(OnPool);
        end.Set();
        (await held).ShouldBe(OnServer);
    }

    [Fact]
    public async Task Endpoint_Awaits_IsAGuestFromBeginningToEnd()
    {
        await using var app = await TestApp.StartAsync(it =>
        {
            it.UseAdaptivePool();
            it.MapGet("/async", async () =>
            {
                string before = Where();
                await Task.Yield();
                return before == Where() ? before : "moved";
            });
        });
        await EarnAsync(app, "/async");
    }

    [Fact]
    public async Task Endpoint_GuestThrows_AnswersAsEver()
    {
        await using var app = await TestApp.StartAsync(it =>
        {
            it.UseAdaptivePool();
            it.MapGet("/throws", (bool now) => now ? throw new InvalidTimeZoneException() : Where());
        });
        await EarnAsync(app, "/throws?now=false");
        using var answer = await app.Client.GetAsync(new Uri("/throws?now=true", UriKind.Relative));
        ((int)answer.StatusCode).ShouldBe(500);
        (await app.GetAsync("/throws?now=false")).ShouldBe(OnServer);
    }

    [Fact]
    public async Task Endpoint_SaysWhereOrHowItRuns_IsNoGuest()
    {
        await using var app = await TestApp.StartAsync(
            static it =>
            {
                it.UseAdaptivePool();
                it.MapGet("/named", Where).RunOnAdaptivePool("named");
                it.MapGet("/bounded", Where).LimitQueue(maxQueued: 1_000);
                it.MapGet("/strict", Where).OnBlocking(BlockingAction.Warn);
                it.MapGet("/gated", Where).RequireTransactionGate("bank of guests");
            },
            static it =>
            {
                it.Services.AddAdaptivePool();
                it.Services.AddTransactionGate("bank of guests", static options => options.PermitLimit = 8);
            });
        foreach (string path in (string[])["/named", "/bounded", "/strict", "/gated"])
        {
            await AskAsync(app, path, 600);
            (await app.GetAsync(path)).ShouldBe(OnPool, path);
        }
    }

    [Fact]
    public async Task Guests_Never_AllRunOnThePool()
    {
        await using var app = await TestApp.StartAsync(
            static it =>
            {
                it.UseAdaptivePool();
                it.MapGet("/short", Where);
            },
            static it => it.Services.AddAdaptivePool(static options => options.Guests = GuestMode.Never));
        await AskAsync(app, "/short", 600);
        (await app.GetAsync("/short")).ShouldBe(OnPool);
        Snapshot(app, "GET /short").GuestReason.ShouldBeEmpty();
    }

    private static string Where() => AdaptiveThreadPool.Current is null ? OnServer : OnPool;

    private static WorkClassSnapshot Snapshot(TestApp app, string name) => app.Pool.GetSnapshot().Classes.Single(it => it.Name == name);

    private static async Task AskAsync(TestApp app, string path, int times)
    {
        for (int i = 0; i < times; i++)
        {
            await app.GetAsync(path);
        }
    }

    // The first requests are compiled, and a busy machine makes others long.
    private static Task EarnAsync(TestApp app, string path) => EventuallyAsync(async () =>
    {
        await AskAsync(app, path, 300);
        return await app.GetAsync(path) == OnServer;
    });

    private static Task EventuallyAsync(Func<bool> condition) => EventuallyAsync(() => Task.FromResult(condition()));

    private static async Task EventuallyAsync(Func<Task<bool>> condition)
    {
        using var patience = new CancellationTokenSource(TimeSpan.FromSeconds(30));
        while (!await condition())
        {
            await Task.Delay(5, patience.Token);
        }
    }
}
