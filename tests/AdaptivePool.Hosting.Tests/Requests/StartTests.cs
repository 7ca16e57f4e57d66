using AdaptivePool.Hosting.Tests.Apps;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Requests;

/// <summary>What an application is told when it starts: one line, which says what to do.</summary>
public sealed class StartTests
{
    private readonly RecordedLog _log = new();

    private List<string> Warnings => [.. _log.Lines.Where(static line => line.Level >= LogLevel.Warning).Select(static line => line.Text)];

    [Fact]
    public async Task UseAdaptivePool_BeforeUseRouting_DoesNotStart()
    {
        await using var application = TestApp.Build(static it =>
        {
            it.UseAdaptivePool();
            it.UseRouting();
            it.MapGet("/", Whereabouts.Here).DisableAdaptivePool();
        });

        (await Should.ThrowAsync<InvalidOperationException>(() => application.StartAsync())).Message.ShouldBe(
            "UseAdaptivePool() is called before UseRouting(), where no request has an endpoint yet: call 'app.UseAdaptivePool()' after 'app.UseRouting()'.");
    }

    [Fact]
    public async Task UseAdaptivePool_BeforeUseRoutingWhileSwitchedOff_Starts()
    {
        await using var app = await TestApp.StartAsync(
            static it =>
            {
                it.UseAdaptivePool();
                it.UseRouting();
                it.MapGet("/", Whereabouts.Here);
            },
            settings: [new("AdaptivePool:Enabled", "false")]);

        (await app.GetAsync("/")).ShouldBe(Whereabouts.Runtime);
    }

    [Fact]
    public async Task UseAdaptivePool_AfterUseRouting_EndpointsRunWhereTheySay()
    {
        await using var app = await TestApp.StartAsync(it =>
        {
            it.UseRouting();
            it.UseAdaptivePool();
            it.MapGet("/own", () => it.ActiveClasses());
            it.MapGet("/named", () => it.ActiveClasses()).RunOnAdaptivePool("reports");
            it.MapGet("/disabled", Whereabouts.Here).DisableAdaptivePool();
        });

        (await app.GetAsync("/own")).ShouldBe("GET /own");
        (await app.GetAsync("/named")).ShouldBe("reports");
        (await app.GetAsync("/disabled")).ShouldBe(Whereabouts.Runtime);
    }

    [Fact]
    public async Task UseAdaptivePool_BeforeAndAfterUseRouting_EndpointsRunWhereTheySay()
    {
        await using var app = await TestApp.StartAsync(it =>
        {
            it.UseAdaptivePool();
            it.UseRouting();
            it.UseAdaptivePool();
            it.MapGet("/named", () => it.ActiveClasses()).RunOnAdaptivePool("reports");
            it.MapGet("/disabled", Whereabouts.Here).DisableAdaptivePool();
        });

        (await app.GetAsync("/named")).ShouldBe("reports");
        (await app.GetAsync("/disabled")).ShouldBe(Whereabouts.Runtime);
    }

    [Fact]
    public async Task UseAdaptivePool_AfterUseEndpoints_DoesNotStart()
    {
        await using var application = TestApp.Build(static it =>
        {
            it.UseRouting();
            MapByHand(it);
            it.UseAdaptivePool();
        });

        (await Should.ThrowAsync<InvalidOperationException>(() => application.StartAsync())).Message.ShouldBe(
            "UseAdaptivePool() is called after UseEndpoints(), where no request of an endpoint arrives: "
            + "call 'app.UseAdaptivePool()' between 'app.UseRouting()' and 'app.UseEndpoints()'.");
    }

    [Theory]
    [InlineData("/class", "is to run on the AdaptivePool, but it has ShortCircuit()")]
    [InlineData("/queue", "is to run on the AdaptivePool, but it has ShortCircuit()")]
    [InlineData("/blocking", "is to run on the AdaptivePool, but it has ShortCircuit()")]
    [InlineData("/gate", "requires the transaction gate 'bank', but it has ShortCircuit()")]
    [InlineData("/disabled", null)]
    [InlineData("/plain", null)]
    public async Task ShortCircuit_OnAnEndpointThatNeedsAPlaceAfterRouting_DoesNotStart(string path, string? message)
    {
        await using var application = TestApp.Build(
            it =>
            {
                it.UseAdaptivePool();
                IEndpointConventionBuilder endpoint = it.MapGet(path, Whereabouts.Here).ShortCircuit();
                _ = path switch
                {
                    "/class" => endpoint.RunOnAdaptivePool("reports"),
                    "/queue" => endpoint.LimitQueue(1),
                    "/blocking" => endpoint.OnBlocking(BlockingAction.Throw),
                    "/gate" => endpoint.RequireTransactionGate("bank"),
                    "/disabled" => endpoint.RunOnAdaptivePool("reports").DisableAdaptivePool(),
                    _ => endpoint,
                };
            },
            static it => it.Services.AddAdaptivePool().AddTransactionGate("bank"));

        if (message is null)
        {
            await application.StartAsync();
        }
        else
        {
            (await Should.ThrowAsync<InvalidOperationException>(() => application.StartAsync())).Message.ShouldContain(message);
        }
    }

    [Fact]
    public async Task UseAdaptivePool_AfterABranchWithEndpointsOfItsOwn_Starts()
    {
        await using var app = await StartAsync(it =>
        {
            ((IApplicationBuilder)it).Map("/branch", static branch => branch.UseRouting().UseEndpoints(static routes => routes.MapGet("/", Whereabouts.Here)));
            it.UseAdaptivePool();
            it.MapGet("/named", () => it.ActiveClasses()).RunOnAdaptivePool("reports");
        });

        (await app.GetAsync("/named")).ShouldBe("reports");
        (await app.GetAsync("/branch")).ShouldBe(Whereabouts.Runtime);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task UseAdaptivePool_BetweenUseRoutingAndUseEndpoints_Starts(bool again)
    {
        await using var app = await StartAsync(it =>
        {
            it.UseRouting();
            it.UseAdaptivePool();
            MapByHand(it);
            if (again)
            {
                it.UseAdaptivePool();
            }
        });

        (await app.GetAsync("/named")).ShouldBe("reports");
        Warnings.ShouldBeEmpty();
    }

    [Fact]
    public async Task UseAdaptivePool_InABranchBeforeUseRouting_IsToldOnce()
    {
        await using var app = await StartAsync(static it =>
        {
            it.UseWhen(static _ => true, static branch => branch.UseAdaptivePool());
            it.UseRouting();
            it.MapGet("/a", Whereabouts.Here).RunOnAdaptivePool("ignored");
        });
        Warnings.ShouldBeEmpty();

        for (var i = 0; i < 3; i++)
        {
            (await app.GetAsync("/a")).ShouldBe(Whereabouts.Pool);
        }

        Warnings.ShouldBe(
        [
            "UseAdaptivePool() is called in a branch before UseRouting(): 'HTTP: GET /a => Here' and other endpoints run in the default class "
            + "there, and their pools and classes are ignored. Call it after 'app.UseRouting()'.",
        ]);
    }

    [Theory]
    [InlineData("before routing, terminal")]
    [InlineData("after routing")]
    [InlineData("routed by itself")]
    [InlineData("before and after routing")]
    public async Task UseAdaptivePool_InABranchThatIsRight_NothingIsTold(string place)
    {
        await using var app = await StartAsync(it =>
        {
            if (place == "before routing, terminal")
            {
                it.MapWhen(
                    static context => context.Request.Path == "/own",
                    static branch => branch.UseAdaptivePool().Run(static context => context.Response.WriteAsync(Whereabouts.Here())));
            }

            if (place == "before and after routing")
            {
                it.UseWhen(static _ => true, static branch => branch.UseAdaptivePool());
            }

            if (place != "routed by itself")
            {
                it.UseRouting();
            }

            if (place != "before routing, terminal")
            {
                it.UseWhen(static _ => true, static branch => branch.UseAdaptivePool());
            }

            it.MapGet("/own", () => it.ActiveClasses());
        });

        (await app.GetAsync("/own")).ShouldBe(place == "before routing, terminal" ? Whereabouts.Pool : "GET /own");

        Warnings.ShouldBeEmpty();
    }

    [Fact]
    public async Task UseAdaptivePool_Missing_IsToldOnce()
    {
        await using var app = await StartAsync(static it => it.MapGet("/", Whereabouts.Here));

        (await app.GetAsync("/")).ShouldBe(Whereabouts.Runtime);

        Warnings.ShouldBe(["AddAdaptivePool() was called, but requests run on the runtime's thread pool: call 'app.UseAdaptivePool()' before the application "
            + "starts."]);
    }

    [Theory]
    [InlineData("true", "true", 0)]
    [InlineData("false", "false", 0)]
    [InlineData("true", "false", 1)]
    public async Task UseAdaptivePool_MissingOrNot_IsToldWhereItMatters(string enabled, string used, int lines)
    {
        await using var app = await StartAsync(
            it =>
            {
                if (used == "true")
                {
                    it.UseAdaptivePool();
                }
            },
            settings: [new("AdaptivePool:Enabled", enabled)]);

        Warnings.Count.ShouldBe(lines);
    }

    [Fact]
    public async Task MoreEndpointsThanClasses_IsToldOnceAtTheStart()
    {
        await using var app = await StartAsync(
            static it =>
            {
                it.UseAdaptivePool();
                for (var i = 0; i < 6; i++)
                {
                    it.MapGet($"/{i}", Whereabouts.Here);
                }
            },
            settings: [new("AdaptivePool:MaxClasses", "4"), new("AdaptivePool:Name", "crowded")]);
        const string expected =
            "Pool 'crowded': the endpoints name more work classes than MaxClasses (4, the default one included) allows, and the last ones"
            + " share the default class with one limit for all. Let endpoints that behave alike share a class with RunOnAdaptivePool(NAME),"
            + " or raise 'AdaptivePool:MaxClasses'.";
        Warnings.ShouldBe([expected]);

        for (var i = 0; i < 6; i++)
        {
            (await app.GetAsync($"/{i}")).ShouldBe(Whereabouts.Pool);
        }

        Warnings.Count.ShouldBe(2);
        Warnings[1].ShouldContain("'GET /3' and all later names use the default class");
    }

    [Fact]
    public async Task ClassesThatOnlyCodeNames_LeaveNoRoom_IsToldByThePool()
    {
        await using var app = await StartAsync(
            static it =>
            {
                it.UseAdaptivePool();
                it.MapGet("/", Whereabouts.Here).RunOnAdaptivePool(pool: "reports");
            },
            settings: [new("AdaptivePool:Pools:reports:MaxClasses", "2"), new("AdaptivePool:Pools:reports:Name", "narrow")]);
        Warnings.ShouldBeEmpty();
        app.Application.Services.GetRequiredKeyedService<AdaptiveThreadPool>("reports").GetClass("mine");

        (await app.GetAsync("/")).ShouldBe(Whereabouts.Pool);

        Warnings.ShouldHaveSingleItem().ShouldStartWith(
            "Pool 'narrow': There are 2 work classes, the default one included, and MaxClasses allows no more: 'GET /'");
    }

    [Fact]
    public async Task EndpointsThatFit_NothingIsTold()
    {
        await using var app = await StartAsync(
            static it =>
            {
                it.UseAdaptivePool();
                it.MapGet("/a", Whereabouts.Here);
                it.MapGet("/b", Whereabouts.Here);
                it.MapGet("/c", Whereabouts.Here).DisableAdaptivePool();
            },
            settings: [new("AdaptivePool:MaxClasses", "3")]);

        (await app.GetAsync("/b")).ShouldBe(Whereabouts.Pool);

        Warnings.ShouldBeEmpty();
    }

    [Fact]
    public async Task Attribute_WithAValueThatIsNotAllowed_DoesNotStartAndIsNamed()
    {
        const string noName = "allowed: any text that is not empty, without control characters.";
        (await RefuseAsync([LimitQueue(0)] () => "")).ShouldBe("a wrong LimitQueue: MaxQueued is '0'; allowed: 1 to 2147483647.");
        (await RefuseAsync([LimitQueue(5, MaxQueueMilliseconds = 0)] () => ""))
            .ShouldBe("a wrong LimitQueue: MaxQueueMilliseconds is '0'; allowed: 1 to 86400000, or -1.");
        (await RefuseAsync([RunOnAdaptivePool(" ")] () => "")).ShouldBe("a wrong RunOnAdaptivePool: ClassName is ' '; " + noName);
        (await RefuseAsync([RunOnAdaptivePool(null!)] () => "")).ShouldBe("a wrong RunOnAdaptivePool: ClassName is ''; " + noName);
        (await RefuseAsync([RunOnAdaptivePool(WorkClass.InFlightName)] () => ""))
            .ShouldBe($"a wrong RunOnAdaptivePool: ClassName is '(in flight)'; {noName[..^1]}, except '(in flight)'.");
        (await RefuseAsync([RunOnAdaptivePool(Pool = "")] () => "")).ShouldBe("a wrong RunOnAdaptivePool: Pool is ''; " + noName);
        (await RefuseAsync([OnBlocking((BlockingAction)9)] () => "")).ShouldBe("a wrong OnBlocking: Action is '9'; allowed: Ignore, Warn or Throw.");
    }

    [Fact]
    public async Task Attribute_WithAValueThatIsNotAllowedWhileSwitchedOff_Starts()
    {
        await using var app = await TestApp.StartAsync(
            static it =>
            {
                it.UseAdaptivePool();
                it.MapGet("/", [LimitQueue(0)] () => Whereabouts.Here());
            },
            settings: [new("AdaptivePool:Enabled", "false")]);

        (await app.GetAsync("/")).ShouldBe(Whereabouts.Runtime);
    }

    /// <summary>Names go into lines of logs, where a line break would begin a line of its own; what a route is made of is nobody's mistake.</summary>
    [Fact]
    public async Task Name_WithControlCharacters_IsRefusedWhereItIsGivenAndWrittenWithoutThem()
    {
        const string allowed = @"is 'a\u000ab'; allowed: any text that is not empty, without control characters.";
        var services = new ServiceCollection();
        Should.Throw<ArgumentException>(() => services.AddAdaptivePool("a\nb")).Message.ShouldStartWith("name " + allowed);
        Should.Throw<ArgumentException>(() => services.AddTransactionGate("a\nb")).Message.ShouldStartWith("name " + allowed);
        (await RefuseAsync([RunOnAdaptivePool("a\nb")] () => "")).ShouldBe("a wrong RunOnAdaptivePool: ClassName " + allowed);
        await using var app = await TestApp.StartAsync(static it =>
        {
            it.UseAdaptivePool();
            Should.Throw<ArgumentException>(() => it.MapGet("/", static () => "").RunOnAdaptivePool("a\nb")).Message.ShouldStartWith("className " + allowed);
            it.MapGet("/tab\there", () => it.ActiveClasses());
        });

        (await app.GetAsync("/tab%09here")).ShouldBe(@"GET /tab\u0009here");
    }

    private static async Task<string> RefuseAsync(Delegate handler)
    {
        await using var application = TestApp.Build(it =>
        {
            it.UseAdaptivePool();
            it.MapGet("/wrong", handler).WithDisplayName("wrong");
        });

        var message = (await Should.ThrowAsync<InvalidOperationException>(() => application.StartAsync())).Message;
        message.ShouldStartWith("The endpoint 'wrong' has ");
        return message["The endpoint 'wrong' has ".Length..];
    }

    private static void MapByHand(WebApplication app)
    {
        static void Map(IEndpointRouteBuilder routes, WebApplication app) => routes.MapGet("/named", () => app.ActiveClasses()).RunOnAdaptivePool("reports");
        ((IApplicationBuilder)app).UseEndpoints(routes => Map(routes, app));
    }

    private Task<TestApp> StartAsync(Action<WebApplication> configure, IEnumerable<KeyValuePair<string, string?>>? settings = null) => TestApp.StartAsync(
        configure,
        it =>
        {
            it.Logging.AddProvider(_log).AddFilter("AdaptivePool", LogLevel.Trace);
            it.Services.AddAdaptivePool("reports");
        },
        settings);
}
