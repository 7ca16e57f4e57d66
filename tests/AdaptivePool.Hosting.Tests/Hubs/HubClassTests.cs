using AdaptivePool.Hosting.Tests.Apps;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.SignalR;
using Microsoft.Extensions.DependencyInjection;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Hubs;

public sealed class HubClassTests : HubTest
{
    private const string Hub = "AdaptivePool.Hosting.Tests.Apps.PlacesHub";

    [Theory]
    [InlineData("Class", Hub + "/Class")]
    [InlineData("renamed", Hub + "/renamed")]
    [InlineData("Named", "named")]
    public async Task HubMethod_IsAClassOfItsOwnUnlessItNamesOne(string method, string expected)
    {
        await StartAsync();

        (await Client.CallAsync(method)).ShouldBe(expected);
    }

    [Fact]
    public async Task RunOnAdaptivePool_OnTheHubsEndpoint_NamesTheClassOfAllButThoseThatNameTheirOwn()
    {
        await StartAsync(static hub => hub.RunOnAdaptivePool("hubs"));

        (await Client.CallAsync("Class")).ShouldBe("hubs");
        (await Client.CallAsync("Named")).ShouldBe("named");
    }

    [Fact]
    public async Task RunOnAdaptivePool_AttributeOfTheHub_NamesPoolAndClass()
    {
        await StartAsync<ElsewhereHub>(build: static it => it.Services.AddAdaptivePool("elsewhere"));

        (await Client.CallAsync("Where")).ShouldBe(Whereabouts.Pool);
        (await Client.CallAsync("PoolName")).ShouldNotBeNull().ShouldStartWith("elsewhere");
        App.Application.Services.GetRequiredKeyedService<AdaptiveThreadPool>("elsewhere")
            .GetSnapshot().Classes.ShouldContain(static it => it.Name == "all of it");
    }

    [Fact]
    public async Task OnBlocking_OnAMethod_ThrowsWhereItBlocks()
    {
        await StartAsync();

        (await Client.CallAsync("Strict")).ShouldNotBeNull().ShouldStartWith("error:");
        (await Client.CallAsync("Where")).ShouldBe(Whereabouts.Pool);
    }

    [Theory]
    [InlineData(HubClient.WebSockets)]
    [InlineData(HubClient.LongPolling)]
    public async Task DisableAdaptivePool_OnTheHubsEndpoint_LeavesAllOfItOnTheRuntimesPool(string transport)
    {
        await StartAsync(static hub => hub.DisableAdaptivePool(), transport: transport);

        (await Client.CallAsync("Made")).ShouldBe(Whereabouts.Runtime);
        (await Client.CallAsync("After")).ShouldBe("runtime,runtime,runtime");
        App.Visits().Places["connected"].ShouldBe(Whereabouts.Runtime);
    }

    [Fact]
    public async Task DisableAdaptivePool_OnAMethod_LeavesThatMethodOnTheRuntimesPool()
    {
        await StartAsync();

        (await Client.CallAsync("Disabled")).ShouldBe("runtime,runtime");
        (await Client.CallAsync("Where")).ShouldBe(Whereabouts.Pool);
    }

    [Theory]
    [InlineData("AdaptivePool:Hubs", "pool")]
    [InlineData("AdaptivePool:Enabled", "runtime")]
    public async Task Settings_HubsOrAllSwitchedOff_HubsRunOnTheRuntimesPool(string key, string requests)
    {
        await StartAsync(settings: [new(key, "false")]);

        (await Client.CallAsync("After")).ShouldBe("runtime,runtime,runtime");
        (await Client.CallAsync("Where")).ShouldBe(Whereabouts.Runtime);
        (await App.GetAsync("/hello")).ShouldBe(requests);
    }

    [Fact]
    public void MapHub_MethodNamesAPoolThatDoesNotExist_SaysSo() =>
        Map<LostHub>().Message.ShouldBe(
            $"The hub method '{typeof(LostHub).FullName}/Run' is to run on the pool 'nowhere', which does not exist; there is no named pool. Call "
                + "'builder.Services.AddAdaptivePool(\"nowhere\", ...)'.");

    [Fact]
    public void MapHub_MethodWithAValueThatIsNotAllowed_NamesIt() =>
        Map<WrongHub>().Message.ShouldBe($"The hub method '{typeof(WrongHub).FullName}/Run' has a wrong LimitQueue: MaxQueued is '0'; allowed: 1 to 2147483647.");

    [Fact]
    public void MapHub_MethodRequiresAGate_SaysThatGatesAdmitRequests() =>
        Map<GatedHub>().Message.ShouldBe(
            $"The hub method '{typeof(GatedHub).FullName}/Run' requires the transaction gate 'bank', which admits requests and not calls of hubs: enter the "
                + "gate in the method, with 'await gate.AcquireAsync(...)'.");

    private static InvalidOperationException Map<THub>()
        where THub : Hub => Should.Throw<InvalidOperationException>(() => TestApp.Build(
            static it =>
            {
                it.UseAdaptivePool();
                it.MapHub<THub>("/hub");
            },
            static it =>
            {
                it.Services.AddSignalR();
                it.Services.AddAdaptivePool();
            }));

    [RunOnAdaptivePool("all of it", Pool = "elsewhere")]
    private sealed class ElsewhereHub(HubVisits visits) : PlacesHub(visits);

    private sealed class LostHub : Hub
    {
        [RunOnAdaptivePool(Pool = "nowhere")]
        public void Run()
        {
        }
    }

    private sealed class WrongHub : Hub
    {
        [LimitQueue(0)]
        public void Run()
        {
        }
    }

    private sealed class GatedHub : Hub
    {
        [RequireTransactionGate("bank")]
        public void Run()
        {
        }
    }
}
