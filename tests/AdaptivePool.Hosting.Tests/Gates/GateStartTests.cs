using System.Threading.RateLimiting;
using AdaptivePool.Admission;
using AdaptivePool.Hosting.Tests.Apps;
using AdaptivePool.Hosting.Tests.Places;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Gates;

public sealed class GateStartTests
{
    private const string Keys =
        "PermitLimit, Adaptive, AdaptiveMonitorOnly, MinLimit, MaxLimit, DecisionLogFile, QueueLimit, QueueTimeout, QueueProcessingOrder, "
        + "KickUpAfter, OverloadDelay, OverloadInterval, StallAfter, GroupCount, BorrowsBetweenGroups, "
        + "FlowsWithContext, GroupWeights";

    [Fact]
    public async Task Start_UnknownGateOnAnEndpoint_NamesEndpointGateAndThoseThereAre()
    {
        var exception = await FailAsync<InvalidOperationException>(static it => it.MapGet("/", static () => "").RequireTransactionGate("bnak"));

        exception.Message.ShouldContain("requires the transaction gate 'bnak', which does not exist; gates: bank.");
    }

    [Fact]
    public async Task Start_TwoHostsOfOneProcess_TheirGatesJoinTheFleetByOneName()
    {
        List<string> joined = [];
        var fleet = new NotedFleet(joined);
        await using ServiceProvider first = Host();
        await using ServiceProvider second = Host();

        first.GetRequiredKeyedService<TransactionGate>("bank").Dispose();
        second.GetRequiredKeyedService<TransactionGate>("bank").Dispose();

        joined.ShouldBe(["bank", "bank"]);

        ServiceProvider Host() => new ServiceCollection().AddTransactionGate("bank", it => (it.Adaptive, it.Fleet) = (true, fleet)).BuildServiceProvider();
    }

    [Fact]
    public async Task Start_UnknownGateInAnAttribute_Fails()
    {
        var exception = await FailAsync<InvalidOperationException>(static it
            => it.MapGet("/", [AdaptivePool.Hosting.RequireTransactionGate("bnak")] static () => ""));

        exception.Message.ShouldContain("'bnak'");
    }

    [Fact]
    public async Task Start_PoolWithoutAnyGate_AnAttributeFailsAllTheSame()
    {
        await using var application = TestApp.Build(static it =>
        {
            it.UseAdaptivePool();
            it.MapGet("/", [AdaptivePool.Hosting.RequireTransactionGate("bank")] static () => "");
        });

        (await Should.ThrowAsync<InvalidOperationException>(() => application.StartAsync())).Message.ShouldContain(
            "requires the transaction gate 'bank', which does not exist; gates: none.");
    }

    [Theory]
    [InlineData("bank")]
    [InlineData("bnak")]
    public async Task Start_EndpointsBuiltWithoutTheServices_EnterTheGateOrAreNamed(string gate)
    {
        var start = GateApp.StartAsync(
            static options => options.PermitLimit = 1,
            it =>
            {
                it.UseAntiforgery();
                it.MapRazorComponents<PlaceRoot>().RequireTransactionGate(gate);
            },
            static builder => builder.Services.AddRazorComponents());
        if (gate == "bnak")
        {
            (await Should.ThrowAsync<InvalidOperationException>(start)).Message.ShouldContain("gate 'bnak', which does not exist; gates: bank.");
            return;
        }

        await using var app = await start;
        var ahead = app.SendAsync("/hold");
        await app.UntilAsync(static it => it.Held == 1);
        var page = app.SendAsync("/page");
        await app.UntilAsync(static it => it.Queued == 1);
        app.Release();
        (await page).EnsureSuccessStatusCode().Dispose();
        (await ahead).Dispose();
    }

    [Fact]
    public async Task Start_NothingLeadsThroughTheGate_SaysWhatToCall()
    {
        var exception = await FailAsync<InvalidOperationException>(static it => it.MapGet("/", static () => "").RequireTransactionGate("bank"),
            useGates: false);

        exception.Message.ShouldContain("Call 'app.UseAdaptivePool()' or 'app.UseTransactionGates()'");
    }

    [Fact]
    public void UseTransactionGates_WithoutAGate_SaysWhatToCall() =>
        Should.Throw<InvalidOperationException>(static () => TestApp.Build(static it => it.UseTransactionGates())).Message.ShouldContain("AddTransactionGate");

    [Fact]
    public void RequireTransactionGate_NoNameOrFunction_IsRefused()
    {
        var endpoint = TestApp.Build(static _ => { }).MapGet("/", static () => "");
        Should.Throw<ArgumentNullException>(() => endpoint.RequireTransactionGate(null!)).ParamName.ShouldBe("gateName");
        Should.Throw<ArgumentNullException>(() => endpoint.RequireTransactionGate(null!, static _ => default)).ParamName.ShouldBe("gateName");
        Should.Throw<ArgumentNullException>(() => endpoint.RequireTransactionGate("bank", null!)).ParamName.ShouldBe("describe");
        Should.Throw<ArgumentException>(() => endpoint.RequireTransactionGate(" ")).ParamName.ShouldBe("gateName");
        Should.Throw<ArgumentOutOfRangeException>(() => endpoint.RequireTransactionGate("bank", (TransactionPriority)9)).ParamName.ShouldBe("priority");
        Should.Throw<ArgumentNullException>(static () => ((RouteHandlerBuilder)null!).RequireTransactionGate("bank")).ParamName.ShouldBe("builder");
    }

    // No section could be its own: the configuration would read "north:bank" as a key below "north".
    [Fact]
    public void AddTransactionGate_NameThatCannotBeASection_IsRefused() =>
        Should.Throw<ArgumentException>(static () => new ServiceCollection().AddTransactionGate("north:bank")).Message.ShouldContain(
            "name is 'north:bank'; it must not contain ':'");

    [Theory]
    [InlineData("bank:PermitLimit", "-1", "TransactionGates:bank:PermitLimit is '-1'; allowed: 0 (no limit) to 1000000.")]
    [InlineData("bank:PermitLimit", "many", "TransactionGates:bank:PermitLimit is 'many'; allowed: 0 (no limit) to 1000000.")]
    [InlineData("bank:Adaptive", "maybe", "TransactionGates:bank:Adaptive is 'maybe'; allowed: true or false.")]
    [InlineData("bank:AdaptiveMonitorOnly", "true", "TransactionGates:bank:AdaptiveMonitorOnly is 'True'; allowed: false, unless Adaptive is true.")]
    [InlineData("bank:MinLimit", "0", "TransactionGates:bank:MinLimit is '0'; allowed: 1 to 1000000.")]
    [InlineData("bank:MaxLimit", "0", "TransactionGates:bank:MaxLimit is '0'; allowed: 1 to 1000000.")]
    [InlineData("bank:DecisionLogFile", " ", "TransactionGates:bank:DecisionLogFile is ' '; allowed: the path of a file.")]
    [InlineData("bank:QueueLimit", "-1", "TransactionGates:bank:QueueLimit is '-1'; allowed: 0 to 1000000.")]
    [InlineData("bank:QueueTimeout", "00:00:00",
        "TransactionGates:bank:QueueTimeout is '00:00:00'; allowed: 00:00:00.0010000 to 1.00:00:00 (days.hours:minutes:seconds).")]
    [InlineData("bank:QueueTimeout", "soon",
        "TransactionGates:bank:QueueTimeout is 'soon'; allowed: 00:00:00.0010000 to 1.00:00:00 (days.hours:minutes:seconds).")]
    [InlineData("bank:QueueTimeout", "1",
        "TransactionGates:bank:QueueTimeout is '1'; allowed: 00:00:00.0010000 to 1.00:00:00 (days.hours:minutes:seconds).")]
    [InlineData("bank:QueueProcessingOrder", "2", "TransactionGates:bank:QueueProcessingOrder is '2'; allowed: OldestFirst or NewestFirst.")]
    [InlineData("bank:QueueProcessingOrder", "Oldest,Newest",
        "TransactionGates:bank:QueueProcessingOrder is 'Oldest,Newest'; allowed: OldestFirst or NewestFirst.")]
    [InlineData("bank:FlowsWithContext", "yes", "TransactionGates:bank:FlowsWithContext is 'yes'; allowed: true or false.")]
    [InlineData("bank:Limit", "5", "TransactionGates:bank:Limit is '5'; allowed: the keys " + Keys + ".")]
    [InlineData("bank:QueueLimit:Low", "5",
        "TransactionGates:bank:QueueLimit:Low is '5'; allowed: one value at TransactionGates:bank:QueueLimit, nothing below it.")]
    [InlineData("bank:GroupWeights", "5", "TransactionGates:bank:GroupWeights is '5'; allowed: a section with a weight for each partition.")]
    [InlineData("bank:GroupWeights:north", "much", "TransactionGates:bank:GroupWeights:north is 'much'; allowed: a whole number.")]
    [InlineData("bank:GroupWeights:north", "3", "TransactionGates:bank:GroupWeights is '1 partitions'; allowed: none, unless GroupCount is 1 or more.")]
    [InlineData("bank", "64", "TransactionGates:bank is '64'; allowed: a section with options of the gate.")]
    [InlineData(null, "5", "TransactionGates is '5'; allowed: the gates bank.")]
    [InlineData("bnak:PermitLimit", "5", "TransactionGates:bnak is '(a section)'; allowed: the gates bank.")]
    public async Task Start_BadSection_NamesKeyValueAndWhatIsAllowed(string? key, string value, string message)
    {
        await using var application =
            TestApp.Build(static it => it.UseTransactionGates(), static builder => builder.Services.AddTransactionGate("bank"),
            [new(key is null ? "TransactionGates" : $"TransactionGates:{key}", value)]);

        (await Should.ThrowAsync<OptionsValidationException>(() => application.StartAsync())).Message.ShouldBe(message);
    }

    [Theory]
    [InlineData("TransactionGates:bank:PermitLimit", "TransactionGates:bank is '(a section)'; allowed: nothing, because no gate was added.")]
    [InlineData("TransactionGates", "TransactionGates is '64'; allowed: nothing, because no gate was added.")]
    public async Task Start_SectionWithoutAnyGate_IsReported(string key, string message)
    {
        await using var application = TestApp.Build(static it => it.UseAdaptivePool(), settings: [new(key, "64")]);

        (await Should.ThrowAsync<OptionsValidationException>(() => application.StartAsync())).Message.ShouldBe(message);
    }

    [Fact]
    public async Task Start_PriorityWithoutAName_IsRefusedAtOnceAndInAnAttributeAtTheStart()
    {
        var exception = await FailAsync<InvalidOperationException>(static it => it.MapGet(
            "/", [AdaptivePool.Hosting.RequireTransactionGate("bank", Priority = (TransactionPriority)9)] static () => "").WithDisplayName("wrong"));

        exception.Message.ShouldBe("The endpoint 'wrong' has a wrong RequireTransactionGate: Priority is '9'; allowed: Low, Normal, High or Admin.");
        Should.Throw<ArgumentOutOfRangeException>(static () => TestApp.Build(
            static it => it.MapGet("/", static () => "").RequireTransactionGate("bank", (TransactionPriority)9))).Message
            .ShouldStartWith("priority is '9'; allowed: Low, Normal, High or Admin.");
    }

    [Fact]
    public async Task Start_EveryKeySet_ReachesTheOptionsAndCodeWins()
    {
        await using var app = await TestApp.StartAsync(
            static it => it.UseTransactionGates(),
            static builder => builder.Services.AddTransactionGate("bank", static o => o.QueueLimit++).AddTransactionGate("stock")
                .AddTransactionGate("bank", static o => o.QueueLimit++),
            [
                new("TransactionGates:bank:permitLimit", "64"),
                new("TransactionGates:bank:Adaptive", "true"),
                new("TransactionGates:bank:AdaptiveMonitorOnly", "true"),
                new("TransactionGates:bank:MinLimit", "2"),
                new("TransactionGates:bank:MaxLimit", "128"),
                new("TransactionGates:bank:QueueLimit", "5"),
                new("TransactionGates:bank:QueueTimeout", "00:00:02"),
                new("TransactionGates:bank:QueueProcessingOrder", "newestfirst"),
                new("TransactionGates:bank:KickUpAfter", "00:00:03"),
                new("TransactionGates:bank:OverloadDelay", "00:00:00.005"),
                new("TransactionGates:bank:OverloadInterval", "00:00:00.2"),
                new("TransactionGates:bank:StallAfter", "00:00:07"),
                new("TransactionGates:bank:GroupCount", "8"),
                new("TransactionGates:bank:GroupWeights:north", "3"),
                new("TransactionGates:bank:BorrowsBetweenGroups", "false"),
                new("TransactionGates:bank:FlowsWithContext", "false"),
            ]);
        var options = app.Application.Services.GetRequiredService<IOptionsMonitor<TransactionGateOptions>>().Get("bank");

        // Other tests have gates of this name at the same time, and a number comes after the name then.
        (options.Name.Split('-')[0], options.PermitLimit, options.QueueLimit, options.QueueTimeout).ShouldBe(("bank", 64, 7, TimeSpan.FromSeconds(2)));
        options.QueueProcessingOrder.ShouldBe(QueueProcessingOrder.NewestFirst);
        (options.Adaptive, options.AdaptiveMonitorOnly, options.MinLimit, options.MaxLimit).ShouldBe((true, true, 2, 128));
        (options.KickUpAfter, options.OverloadDelay, options.OverloadInterval, options.StallAfter)
            .ShouldBe((TimeSpan.FromSeconds(3), TimeSpan.FromMilliseconds(5), TimeSpan.FromMilliseconds(200), TimeSpan.FromSeconds(7)));
        (options.GroupCount, options.BorrowsBetweenGroups, options.FlowsWithContext).ShouldBe((8, false, false));
        options.GroupWeights["north"].ShouldBe(3);
        app.Application.Services.GetRequiredKeyedService<TransactionGate>("bank").PermitLimit.ShouldBe(64);
        app.Application.Services.GetRequiredKeyedService<TransactionGate>("stock").PermitLimit.ShouldBe(0);
    }

    [Theory]
    [InlineData("")]
    [InlineData(" ")]
    public void Names_Empty_AreRefused(string name)
    {
        Should.Throw<ArgumentException>(() => new ServiceCollection().AddTransactionGate(name));
        Should.Throw<ArgumentException>(() => TestApp.Build(it => it.MapGet("/", static () => "").RequireTransactionGate(name)));
    }

    private static async Task<T> FailAsync<T>(Action<WebApplication> map, bool useGates = true)
        where T : Exception
    {
        await using var application = TestApp.Build(
            it =>
            {
                if (useGates)
                {
                    it.UseTransactionGates();
                }

                map(it);
            },
            static builder => builder.Services.AddTransactionGate("bank"));
        return await Should.ThrowAsync<T>(() => application.StartAsync());
    }

    private sealed class NotedFleet(List<string> joined) : IGateFleet
    {
        public IGateFleetMember Join(string gate)
        {
            joined.Add(gate);
            return new Member();
        }

        private sealed class Member : IGateFleetMember
        {
            public IReadOnlyList<string> Exchange(string line) => [line];

            public void Dispose()
            {
                // Nobody reads its line.
            }
        }
    }
}
