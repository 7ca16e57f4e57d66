using AdaptivePool.Hosting.Tests.Apps;
using AdaptivePool.Hosting.Tests.Logging;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Requests;

/// <summary>Apps that fail while they start leave the minimum of the runtime's pool as the user has set it, which belongs to the process.</summary>
[Collection(WholeProcessCollection.Name)]
public sealed class GuestStartTests
{
    [Fact]
    public async Task App_ThrowsBeforeItsServerListens_TheMinimumIsTheUsers()
    {
        ThreadPool.GetMinThreads(out int before, out int completion);
        try
        {
            ThreadPool.SetMinThreads(before + 3, completion).ShouldBeTrue();
            await using var app = TestApp.Build(
                static it => it.UseAdaptivePool(),
                static it =>
                {
                    it.Services.AddAdaptivePool();
                    it.Services.AddHostedService(static _ => new Fails(starting: static () => throw new InvalidTimeZoneException()));
                });
            await Should.ThrowAsync<InvalidTimeZoneException>(() => app.StartAsync());
            await GuestApps.EventuallyAsync(() => GuestApps.Minimum() == before + 3);
        }
        finally
        {
            ThreadPool.SetMinThreads(before, completion).ShouldBeTrue();
        }
    }

    [Fact]
    public async Task App_ThrowsAfterItsServerListensWhileAGuestBlocks_TheMinimumIsTheUsers()
    {
        ThreadPool.GetMinThreads(out int before, out int completion);
        try
        {
            ThreadPool.SetMinThreads(before + 3, completion).ShouldBeTrue();
            using var end = new ManualResetEventSlim(false, spinCount: 0);
            Task<string>? held = null;
            bool blocks = false;
            WebApplication? application = null;
            await using var app = application = TestApp.Build(
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
                it =>
                {
                    it.Services.AddAdaptivePool();
                    it.Services.AddHostedService(_ => new Fails(started: async () =>
                    {
                        // Outlives this: it holds the request that blocks.
                        var client = new HttpClient { BaseAddress = new Uri(application!.Urls.First()) };
                        Task<string> AskAsync() => client.GetStringAsync(new Uri("/mine", UriKind.Relative));
                        var pool = application.Services.GetRequiredService<AdaptiveThreadPool>();
                        held = await GuestApps.BlockGuestAsync(
                            () => GuestApps.EventuallyAsync(async () =>
                            {
                                await AskAsync();
                                return pool.GetClass("GET /mine").GetSnapshot().HasGuests;
                            }),
                            it => Volatile.Write(ref blocks, it),
                            AskAsync,
                            before + 3);
                        throw new InvalidTimeZoneException();
                    }));
                });
            await Should.ThrowAsync<InvalidTimeZoneException>(() => app.StartAsync());
            end.Set();
            await app.DisposeAsync();
            await held!.WaitAsync(TestApp.Patience).ContinueWith(static _ => { }, TaskScheduler.Default);

            await GuestApps.EventuallyAsync(() => GuestApps.Minimum() == before + 3);
        }
        finally
        {
            ThreadPool.SetMinThreads(before, completion).ShouldBeTrue();
        }
    }

    private sealed class Fails(Action? starting = null, Func<Task>? started = null) : IHostedLifecycleService
    {
        public Task StartingAsync(CancellationToken cancellationToken)
        {
            starting?.Invoke();
            return Task.CompletedTask;
        }

        public Task StartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

        public Task StartedAsync(CancellationToken cancellationToken) => started?.Invoke() ?? Task.CompletedTask;

        public Task StoppingAsync(CancellationToken cancellationToken) => Task.CompletedTask;

        public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

        public Task StoppedAsync(CancellationToken cancellationToken) => Task.CompletedTask;
    }
}
