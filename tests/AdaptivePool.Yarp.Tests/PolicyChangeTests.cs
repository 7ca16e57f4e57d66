using AdaptivePool.Balancing;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;

namespace AdaptivePool.Yarp.Tests;

/// <summary>A cluster that gets another policy while requests are under way.</summary>
public sealed class PolicyChangeTests
{
    [Fact]
    public async Task Answer_OfARequestOfBefore_LeavesTheNewBalancerWhatItKnows()
    {
        // The balancer of before came back, without its knowledge, and the next request made another new one: each answer took all that was known.
        Held before = new(), after = new();
        await using WebApplication backend = await Front.StartAsync(app => app.Run(async context =>
        {
            context.Response.Headers[LoadReport.HeaderName] = "run=1; seq=1";
            await (context.Request.Path == "/before" ? before : after).EnterAsync();
            await context.Response.WriteAsync("ok");
        }));
        await using ProxyFixture proxy = await ProxyFixture.StartAsync(
            CollaborativePolicies.Collaborative, waits: true, backends: 0, more: [backend.Urls.First()]);
        Task<string> first = proxy.Client.GetStringAsync("/before");
        await before.EnteredAsync();
        proxy.ChangePolicy(CollaborativePolicies.CollaborativeRoundRobin);
        Task<string> second = proxy.Client.GetStringAsync("/after");
        await after.EnteredAsync();
        proxy.Observe("in_flight").ShouldBe(1);

        before.Open();
        (await first).ShouldBe("ok");
        proxy.Observe("in_flight").ShouldBe(1);

        after.Open();
        (await second).ShouldBe("ok");
        SpinWait.SpinUntil(() => proxy.Observe("in_flight") == 0, TimeSpan.FromSeconds(30)).ShouldBeTrue();
    }

    private sealed class Held
    {
        private readonly TaskCompletionSource _entered = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private readonly TaskCompletionSource _open = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public Task EnterAsync()
        {
            _entered.SetResult();
            return _open.Task;
        }

        public Task EnteredAsync() => _entered.Task.WaitAsync(TimeSpan.FromSeconds(30));

        public void Open() => _open.SetResult();
    }
}
