using System.Globalization;
using System.Net;
using System.Threading.RateLimiting;
using AdaptivePool.Admission;
using AdaptivePool.Hosting.Tests.Apps;
using AdaptivePool.Hosting.Tests.Requests;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.RateLimiting;
using Microsoft.Extensions.DependencyInjection;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Gates;

/// <summary>A gate as a policy of ASP.NET Core's rate limiter: the sample of docs/gate.md under load.</summary>
public sealed class RateLimiterGateTests
{
    private const int Limit = 2;
    private const int Waiting = 3;

    [Fact]
    public async Task AddRateLimiter_PolicyWithAGate_HoldsTheLimitAndRefusesWithRetryAfter()
    {
        var release = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        using var entered = new SemaphoreSlim(0);
        await using var app = await StartAsync(release, entered);
        var gate = app.Application.Services.GetRequiredKeyedService<TransactionGate>("bank");

        var requests = Enumerable.Range(0, Limit + Waiting).Select(_ => app.GetAsync("/pay")).ToList();
        await GuestApps.EventuallyAsync(() => gate.GetSnapshot() is { Held: Limit, Queued: Waiting });
        for (var i = 0; i < Limit; i++)
        {
            (await entered.WaitAsync(TestApp.Patience)).ShouldBeTrue();
        }

        // Who waits at the gate holds no worker, and those inside await.
        await GuestApps.EventuallyAsync(() => app.Pool.GetSnapshot().Active == 0);

        using (var refused = await app.Client.GetAsync(new Uri("/pay", UriKind.Relative)))
        {
            refused.StatusCode.ShouldBe(HttpStatusCode.ServiceUnavailable);
            refused.Headers.RetryAfter.ShouldNotBeNull().Delta.ShouldNotBeNull().ShouldBeGreaterThanOrEqualTo(TimeSpan.FromSeconds(1));
        }

        release.SetResult();
        (await Task.WhenAll(requests).WaitAsync(TestApp.Patience)).ShouldAllBe(static place => place == Whereabouts.Pool);
        await GuestApps.EventuallyAsync(() => gate.GetSnapshot() is { Held: 0, Queued: 0 });
    }

    [Fact]
    public async Task AddRateLimiter_ClientGoesAwayWhileItWaits_ItsPlaceIsFree()
    {
        var release = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        await using var app = await StartAsync(release);
        var gate = app.Application.Services.GetRequiredKeyedService<TransactionGate>("bank");
        var inside = Enumerable.Range(0, Limit).Select(_ => app.GetAsync("/pay")).ToList();
        await GuestApps.EventuallyAsync(() => gate.GetSnapshot().Held == Limit);
        using var gone = new CancellationTokenSource();
        var waiting = app.Client.GetAsync(new Uri("/pay", UriKind.Relative), gone.Token);
        await GuestApps.EventuallyAsync(() => gate.GetSnapshot().Queued == 1);

        await gone.CancelAsync();
        await Should.ThrowAsync<OperationCanceledException>(waiting);

        await GuestApps.EventuallyAsync(() => gate.GetSnapshot().Queued == 0);
        release.SetResult();
        await Task.WhenAll(inside).WaitAsync(TestApp.Patience);
    }

    private static Task<TestApp> StartAsync(TaskCompletionSource release, SemaphoreSlim? entered = null) => TestApp.StartAsync(
        it =>
        {
            it.UseRateLimiter();
            it.UseAdaptivePool();
            it.MapGet("/pay", async () =>
            {
                entered?.Release();
                await release.Task;
                return Whereabouts.Here();
            }).RequireRateLimiting("bank");
        },
        builder =>
        {
            builder.Services.AddAdaptivePool();
            builder.Services.AddTransactionGate("bank", static options =>
            {
                options.PermitLimit = Limit;
                options.QueueLimit = Waiting;
            });
            builder.Services.AddRateLimiter(static options =>
            {
                options.RejectionStatusCode = (int)HttpStatusCode.ServiceUnavailable;
                options.OnRejected = static (refused, _) =>
                {
                    if (refused.Lease.TryGetMetadata(MetadataName.RetryAfter, out var after))
                    {
                        refused.HttpContext.Response.Headers.RetryAfter = Math.Ceiling(after.TotalSeconds).ToString(CultureInfo.InvariantCulture);
                    }

                    return ValueTask.CompletedTask;
                };
                options.AddPolicy("bank", static context
                    => RateLimitPartition.Get("bank", _ => (RateLimiter)context.RequestServices.GetRequiredKeyedService<TransactionGate>("bank")));
            });
        });
}
