using System.Collections.Concurrent;
using System.Diagnostics;
using AdaptivePool.Hosting.Tests.Apps;
using AdaptivePool.Hosting.Tests.Logging;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Requests;

/// <summary>Guests that are held up, given up, or whose pool ends in the middle: none is lost, and the minimum of the runtime's pool stays the
/// user's.</summary>
[Collection(WholeProcessCollection.Name)]
public sealed class GuestMisuseTests
{
    [Fact]
    public async Task Pool_DisposedWhileGuestsAwait_AllAreAnswered()
    {
        var ready = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        bool waits = false;
        await using var app = await StartAsync(it => it.MapGet("/awaits", async () =>
        {
            if (Volatile.Read(ref waits))
            {
                await ready.Task;
            }

            return "done";
        }));
        await GuestApps.EarnAsync(app, "/awaits");
        Volatile.Write(ref waits, true);
        Task<string>[] held = [.. Enumerable.Range(0, 8).Select(_ => app.GetAsync("/awaits"))];
        await app.Pool.DisposeAsync();
        ready.SetResult();

        (await Task.WhenAll(held)).ShouldAllBe(static answer => answer == "done");
        (await app.GetAsync("/awaits")).ShouldBe("done");
    }

    [Fact]
    public async Task Pool_DisposedAfterTheClassWasTakenIn_WhatFollowsTheAwaitIsRun()
    {
        var ready = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        using var end = new ManualResetEventSlim(false, spinCount: 0);
        string what = "";
        await using var app = await StartAsync(it => it.MapGet("/mixed", async () =>
        {
            switch (Volatile.Read(ref what))
            {
                case "await":
                    await ready.Task;
                    break;
                case "block":
                    end.Wait();
                    break;
            }

            return "done";
        }));
        await GuestApps.EarnAsync(app, "/mixed");
        Volatile.Write(ref what, "await");
        long before = GuestApps.Snapshot(app, "GET /mixed").GuestRequests;
        Task<string> awaiting = app.GetAsync("/mixed");
        await GuestApps.EventuallyAsync(() => GuestApps.Snapshot(app, "GET /mixed").GuestRequests > before);
        Volatile.Write(ref what, "block");
        Task<string> blocked = app.GetAsync("/mixed");
        await GuestApps.EventuallyAsync(() => !GuestApps.Snapshot(app, "GET /mixed").HasGuests);
        await app.Pool.DisposeAsync();
        ready.SetResult();
        end.Set();

        (await awaiting).ShouldBe("done");
        (await blocked).ShouldBe("done");
    }

    [Fact]
    public async Task MaxThreadsOne_GuestBlocks_OthersAreAnswered()
    {
        using var end = new ManualResetEventSlim(false, spinCount: 0);
        bool blocks = false;
        await using var app = await StartAsync(
            it =>
            {
                it.MapGet("/mine", () =>
                {
                    if (Volatile.Read(ref blocks))
                    {
                        end.Wait();
                    }

                    return "done";
                });
                it.MapGet("/other", static () => "other");
            },
            static options => (options.MinThreads, options.MaxThreads) = (1, 1));
        await GuestApps.EarnAsync(app, "/mine");
        Volatile.Write(ref blocks, true);
        Task<string> held = app.GetAsync("/mine");
        await GuestApps.EventuallyAsync(() => !GuestApps.Snapshot(app, "GET /mine").HasGuests);
        Volatile.Write(ref blocks, false);

        (await app.GetAsync("/other")).ShouldBe("other");
        (await app.GetAsync("/mine")).ShouldBe("done");
        held.IsCompleted.ShouldBeFalse();
        end.Set();
        (await held).ShouldBe("done");
    }

    [Fact]
    public async Task Client_GoesInTheMiddle_TheClassKeepsItsTrust()
    {
        var gone = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        bool awaits = false;
        await using var app = await StartAsync(it => it.MapGet("/awaits", async (CancellationToken aborted) =>
        {
            if (Volatile.Read(ref awaits))
            {
                try
                {
                    await Task.Delay(Timeout.Infinite, aborted);
                }
                finally
                {
                    gone.TrySetResult();
                }
            }

            return "done";
        }));
        await GuestApps.EarnAsync(app, "/awaits");
        Volatile.Write(ref awaits, true);
        long before = GuestApps.Snapshot(app, "GET /awaits").GuestRequests;
        using (var abort = new CancellationTokenSource())
        {
            Task<HttpResponseMessage> asked = app.Client.GetAsync(new Uri("/awaits", UriKind.Relative), abort.Token);
            await GuestApps.EventuallyAsync(() => GuestApps.Snapshot(app, "GET /awaits").GuestRequests > before);
            await abort.CancelAsync();
            await Should.ThrowAsync<OperationCanceledException>(() => asked);
        }

        await gone.Task.WaitAsync(TestApp.Patience);
        Volatile.Write(ref awaits, false);
        (await app.GetAsync("/awaits")).ShouldBe("done");
        GuestApps.Snapshot(app, "GET /awaits").HasGuests.ShouldBeTrue();
    }

    [Fact]
    public async Task Guest_CallbackThatNoTaskHoldsThrows_IsRaisedByFaultedAndTheRequestEnds()
    {
        bool throws = false;
        bool wasGuest = false;
        var faults = new ConcurrentQueue<Exception>();
        await using var app = await StartAsync(it => it.MapGet("/throws", async () =>
        {
            // A worker would report the same faults.
            if (Volatile.Read(ref throws) && GuestApps.Where() == GuestApps.OnServer)
            {
                wasGuest = true;
                var ready = new TaskCompletionSource();
                ThrowLater();
                SynchronizationContext.Current!.Post(
                    _ =>
                    {
                        // What follows the await runs in here, up to the end of the request.
                        ready.SetResult();
                        throw new InvalidTimeZoneException("posted");
                    },
                    null);
                await ready.Task;
            }

            return "done";
        }));
        app.Pool.Faulted += (_, fault) => faults.Enqueue(fault);

        // On a busy machine the class may be taken in just before.
        await GuestApps.EventuallyAsync(async () =>
        {
            Volatile.Write(ref throws, false);
            await GuestApps.EarnAsync(app, "/throws");
            Volatile.Write(ref throws, true);
            (await app.GetAsync("/throws")).ShouldBe("done");
            return wasGuest;
        });
        await GuestApps.EventuallyAsync(
            () => faults.Any(static it => it.Message == "async void") && faults.Any(static it => it.Message == "posted"));

        static async void ThrowLater()
        {
            await Task.Yield();
            throw new InvalidTimeZoneException("async void");
        }
    }

    [Fact]
    public async Task OneInAThousandBlocks_NoneIsLostAndTheClassIsTakenIn()
    {
        int asked = 0;
        await using var app = await StartAsync(it => it.MapGet("/rare", () =>
        {
            if (Interlocked.Increment(ref asked) % 1_000 == 0)
            {
                Thread.Sleep(60);
            }

            return "done";
        }));
        await GuestApps.EarnAsync(app, "/rare");
        while (Volatile.Read(ref asked) < 2_500)
        {
            Task<string>[] answers = [.. Enumerable.Range(0, 16).Select(_ => app.GetAsync("/rare"))];
            (await Task.WhenAll(answers)).ShouldAllBe(static answer => answer == "done");
        }

        app.Pool.GetSnapshot().Rescues.ShouldBe(0);
        GuestApps.Snapshot(app, "GET /rare").GuestReason.ShouldNotBeEmpty();
    }

    [Fact]
    public async Task Guest_Burns200Milliseconds_OthersAreAnsweredAndItComesToThePool()
    {
        bool burns = false;
        await using var app = await StartAsync(it =>
        {
            it.MapGet("/burns", () =>
            {
                long start = Stopwatch.GetTimestamp();
                while (Volatile.Read(ref burns) && Stopwatch.GetElapsedTime(start) < TimeSpan.FromMilliseconds(200))
                {
                    Thread.SpinWait(100);
                }

                return GuestApps.Where();
            });
            it.MapGet("/other", static () => "other");
        });
        await GuestApps.EarnAsync(app, "/burns");
        Volatile.Write(ref burns, true);

        // On a machine that is full one may not get the CPU for long enough to be seen.
        await GuestApps.EventuallyAsync(async () =>
        {
            Task<string> burning = app.GetAsync("/burns");
            (await app.GetAsync("/other")).ShouldBe("other");
            await burning;
            return !GuestApps.Snapshot(app, "GET /burns").HasGuests;
        });
        Volatile.Write(ref burns, false);
        (await app.GetAsync("/burns")).ShouldBe(GuestApps.OnPool);
    }

    [Fact]
    public async Task Guests_WaitForALockThatAnotherGuestHolds_OthersAreAnswered()
    {
        using var end = new ManualResetEventSlim(false, spinCount: 0);
        var gate = new Lock();
        bool holds = false;
        await using var app = await StartAsync(it =>
        {
            it.MapGet("/locks", () =>
            {
                lock (gate)
                {
                    if (Volatile.Read(ref holds))
                    {
                        end.Wait();
                    }
                }

                return "done";
            });
            it.MapGet("/other", static () => "other");
        });
        await GuestApps.EarnAsync(app, "/locks");
        Volatile.Write(ref holds, true);
        Task<string>[] held = [.. Enumerable.Range(0, 2 * Environment.ProcessorCount).Select(_ => app.GetAsync("/locks"))];
        await GuestApps.EventuallyAsync(() => !GuestApps.Snapshot(app, "GET /locks").HasGuests);
        (await app.GetAsync("/other")).ShouldBe("other");
        Volatile.Write(ref holds, false);
        end.Set();

        (await Task.WhenAll(held)).ShouldAllBe(static answer => answer == "done");
    }

    [Fact]
    public async Task Host_StopsWithAnErrorWhileAGuestBlocks_TheRuntimesMinimumIsTheUsers()
    {
        ThreadPool.GetMinThreads(out int before, out int completion);
        try
        {
            using var end = new ManualResetEventSlim(false, spinCount: 0);
            bool blocks = false;
            await using var app = await TestApp.StartAsync(
                it =>
                {
                    it.UseAdaptivePool();
                    it.MapGet("/mine", () =>
                    {
                        if (Volatile.Read(ref blocks) && GuestApps.Where() == GuestApps.OnServer)
                        {
                            end.Wait();
                        }

                        return "done";
                    });
                },
                static it =>
                {
                    it.Services.AddAdaptivePool();
                    it.Services.AddHostedService<FailsToStop>();
                });
            Task<string> held = await GuestApps.BlockGuestAsync(
                () => GuestApps.EarnAsync(app, "/mine"), it => Volatile.Write(ref blocks, it), () => app.GetAsync("/mine"), before);
            ThreadPool.SetMinThreads(before + 7, completion).ShouldBeTrue();
            Task stopping = app.Application.StopAsync();
            end.Set();

            (await held).ShouldBe("done");
            await Should.ThrowAsync<InvalidTimeZoneException>(() => stopping);
            await GuestApps.EventuallyAsync(() => GuestApps.Minimum() == before + 7);
        }
        finally
        {
            ThreadPool.SetMinThreads(before, completion).ShouldBeTrue();
        }
    }

    private static Task<TestApp> StartAsync(Action<WebApplication> map, Action<AdaptivePoolOptions>? configure = null) => TestApp.StartAsync(
        it =>
        {
            it.UseAdaptivePool();
            map(it);
        },
        it => it.Services.AddAdaptivePool(configure ?? (static _ => { })));

    private sealed class FailsToStop : IHostedService
    {
        private bool _hasFailed;

        public Task StartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

        // The app is stopped once more when it is disposed.
        public Task StopAsync(CancellationToken cancellationToken)
        {
            if (_hasFailed)
            {
                return Task.CompletedTask;
            }

            _hasFailed = true;
            throw new InvalidTimeZoneException();
        }
    }
}
