using AdaptivePool.Hosting.Tests.Apps;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.AspNetCore.Routing.Patterns;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Primitives;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Requests;

/// <summary>Routing has the endpoints that the checks at the start have built.</summary>
public sealed class SharedEndpointsTests
{
    /// <summary>Once the checks built each minimal endpoint, and routing built it again: an app with thousands of them started at twice the cost.</summary>
    [Theory]
    [InlineData(true, false)]
    [InlineData(false, true)]
    [InlineData(true, true)]
    public async Task Start_MinimalEndpoint_IsBuiltOnce(bool hasPool, bool hasGates)
    {
        var built = 0;
        List<EndpointDataSource> left = [];
        await using var app = await TestApp.StartAsync(
            it =>
            {
                if (hasPool)
                {
                    it.UseAdaptivePool();
                }

                it.MapGet("/", static () => "minimal").Add(_ => built++);
                it.MapGroup("/group").MapGet("/", static () => "of a group").Add(_ => built++);
                left.AddRange(((IEndpointRouteBuilder)it).DataSources);
            },
            it =>
            {
                if (hasPool)
                {
                    it.Services.AddAdaptivePool();
                }

                if (hasGates)
                {
                    it.Services.AddTransactionGate("bank");
                }
            });

        (await app.GetAsync("/")).ShouldBe("minimal");
        (await app.GetAsync("/group")).ShouldBe("of a group");
        built.ShouldBe(2);
        ((IEndpointRouteBuilder)app.Application).DataSources.ShouldBe(left);
    }

    /// <summary>Where gates were added first, the list of all that routing had counted as endpoints beside its own, and requests got copies that look for the
    /// pool.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Request_EndpointOfThePoolBesideGates_HasTheEndpointThatWasBuilt(bool gatesFirst)
    {
        await using var app = await TestApp.StartAsync(
            static it =>
            {
                it.UseAdaptivePool();
                it.MapGet("/", static (HttpContext context, EndpointDataSource all) => $"{all.Endpoints.Contains(context.GetEndpoint())}")
                    .RunOnAdaptivePool("reports");
            },
            it =>
            {
                _ = gatesFirst ? it.Services.AddTransactionGate("bank").AddAdaptivePool() : it.Services.AddAdaptivePool().AddTransactionGate("bank");
            });

        (await app.GetAsync("/")).ShouldBe("True");
    }

    [Fact]
    public async Task Endpoints_ChangeWhileTheAppRuns_RoutingFindsThem()
    {
        using var source = new ChangingSource("/before");
        await using var app = await TestApp.StartAsync(it =>
        {
            it.UseAdaptivePool();
            ((IEndpointRouteBuilder)it).DataSources.Add(source);
        });

        (await app.GetAsync("/before")).ShouldBe("/before");
        source.Change("/after");
        (await app.GetAsync("/after")).ShouldBe("/after");
    }

    /// <summary>Routing had the endpoints of the start, and answered 404.</summary>
    [Theory]
    [InlineData("/late")]
    [InlineData("/group/late")]
    public async Task Request_TheFirst_FindsAnEndpointThatWasMappedSinceTheStart(string path)
    {
        IEndpointRouteBuilder? group = null;
        await using var app = await TestApp.StartAsync(it =>
        {
            it.UseAdaptivePool();
            it.MapGet("/", static () => "minimal");
            group = it.MapGroup("/group");
            group.MapGet("/", static () => "of a group");
        });

        app.Application.MapGet("/late", static () => "/late");
        group.ShouldNotBeNull().MapGet("/late", static () => "/group/late");

        (await app.GetAsync(path)).ShouldBe(path);
        (await app.GetAsync("/")).ShouldBe("minimal");
        (await app.GetAsync("/group")).ShouldBe("of a group");
    }

    /// <summary>A filter that was added before the pool's maps after the checks had taken their list: 404.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Start_AFilterMapsAfterTheApplication_RoutingFindsItsEndpoint(bool isAddedBefore)
    {
        await using var app = await TestApp.StartAsync(
            static it =>
            {
                it.UseAdaptivePool();
                it.MapGet("/", static () => "minimal");
            },
            it => Add(it.Services, isAddedBefore, static routes => routes.MapGet("/filter", Whereabouts.Here)));

        (await app.GetAsync("/filter")).ShouldBe(Whereabouts.Pool);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Start_AFilterMapsAfterTheApplication_ItsEndpointIsChecked(bool isAddedBefore)
    {
        await using var application = TestApp.Build(
            static it =>
            {
                it.UseAdaptivePool();
                it.MapGet("/", static () => "minimal");
            },
            it => Add(it.Services, isAddedBefore, static routes => routes.MapGet("/filter", Whereabouts.Here).RunOnAdaptivePool(pool: "none")));

        (await Should.ThrowAsync<InvalidOperationException>(() => application.StartAsync())).Message.ShouldContain("pool 'none', which does not exist");
    }

    [Fact]
    public async Task Start_ABranchRoutesByItself_TheMainPipelineDoesNotFindItsEndpoints()
    {
        await using var app = await TestApp.StartAsync(static it =>
        {
            it.UseAdaptivePool();
            it.Map("/branch", static branch =>
            {
                branch.UseRouting();
                branch.UseEndpoints(static routes => routes.MapGet("/inner", static () => "inner"));
            });
            it.MapGet("/main", static () => "main");
        });

        (await app.GetAsync("/main")).ShouldBe("main");
        (await app.GetAsync("/branch/inner")).ShouldBe("inner");
        (await Should.ThrowAsync<HttpRequestException>(() => app.GetAsync("/inner"))).StatusCode.ShouldBe(System.Net.HttpStatusCode.NotFound);
    }

    private static void Add(IServiceCollection services, bool isAddedBefore, Action<IEndpointRouteBuilder> map)
    {
        _ = isAddedBefore
            ? services.AddSingleton<IStartupFilter>(new MappingFilter(map)).AddAdaptivePool()
            : services.AddAdaptivePool().AddSingleton<IStartupFilter>(new MappingFilter(map));
    }

    private sealed class MappingFilter(Action<IEndpointRouteBuilder> map) : IStartupFilter
    {
        public Action<IApplicationBuilder> Configure(Action<IApplicationBuilder> next) => app =>
        {
            next(app);
            app.UseEndpoints(map);
        };
    }

    private sealed class ChangingSource(string path) : EndpointDataSource, IDisposable
    {
        private CancellationTokenSource _change = new();
        private Endpoint[] _endpoints = [Create(path)];

        public override IReadOnlyList<Endpoint> Endpoints => _endpoints;

        public override IChangeToken GetChangeToken() => new CancellationChangeToken(_change.Token);

        public void Change(string to)
        {
            _endpoints = [Create(to)];
            var before = _change;
            _change = new CancellationTokenSource();
            before.Cancel();
            before.Dispose();
        }

        public void Dispose() => _change.Dispose();

        private static Endpoint Create(string path) =>
            new RouteEndpointBuilder(context => context.Response.WriteAsync(path), RoutePatternFactory.Parse(path), order: 0).Build();
    }
}
