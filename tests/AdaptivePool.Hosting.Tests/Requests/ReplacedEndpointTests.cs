using AdaptivePool.Hosting.Tests.Apps;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.AspNetCore.Routing.Patterns;
using Microsoft.Extensions.Primitives;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Requests;

/// <summary>Endpoints that are replaced while the application runs, as those of a proxy are when its configuration changes.</summary>
public sealed class ReplacedEndpointTests
{
    [Fact]
    public async Task LimitQueue_OfTheNewEndpoint_HoldsInPlaceOfThatOfTheOneBefore()
    {
        // Each request of the new one failed: the two were told to set the same values.
        using var source = new ChangingSource(("/work", 1));
        await using var app = await StartAsync(source);
        var work = app.Pool.GetClass("/work");
        (await app.GetAsync("/work")).ShouldBe("done");
        work.MaxQueued.ShouldBe(1);

        source.Change(("/work", 2));
        (await app.GetAsync("/work")).ShouldBe("done");
        work.MaxQueued.ShouldBe(2);

        source.Change(("/work", null));
        (await app.GetAsync("/work")).ShouldBe("done");
        work.MaxQueued.ShouldBeNull();
    }

    [Fact]
    public async Task LimitQueue_TheNewEndpointSaysTheSame_WhatCodeHasSetStays()
    {
        using var source = new ChangingSource(("/work", 1));
        await using var app = await StartAsync(source);
        var work = app.Pool.GetClass("/work");
        (await app.GetAsync("/work")).ShouldBe("done");
        work.MaxQueued = 7;

        source.Change(("/work", 1));
        (await app.GetAsync("/work")).ShouldBe("done");
        work.MaxQueued.ShouldBe(7);
    }

    [Fact]
    public async Task LimitQueue_TheOtherEndpointOfTheClassIsStillThere_TheNewOneFails()
    {
        using var source = new ChangingSource(("/first", 1));
        await using var app = await StartAsync(source, "shared");
        (await app.GetAsync("/first")).ShouldBe("done");

        source.Change(("/second", 2));
        source.Add(("/first", 1));
        (await app.GetAsync("/first")).ShouldBe("done");
        await Should.ThrowAsync<HttpRequestException>(() => app.GetAsync("/second"));
    }

    private static Task<TestApp> StartAsync(ChangingSource source, string? className = null) => TestApp.StartAsync(it =>
    {
        source.ClassName = className;
        it.UseAdaptivePool();
        ((IEndpointRouteBuilder)it).DataSources.Add(source);
    });

    private sealed class ChangingSource(params (string Path, int? MaxQueued)[] first) : EndpointDataSource, IDisposable
    {
        private CancellationTokenSource _change = new();
        private Endpoint[]? _endpoints;

        public string? ClassName { get; set; }

        public override IReadOnlyList<Endpoint> Endpoints => _endpoints ??= [.. first.Select(Create)];

        public override IChangeToken GetChangeToken() => new CancellationChangeToken(_change.Token);

        public void Change(params (string Path, int? MaxQueued)[] to) => Set([.. to.Select(Create)]);

        public void Add((string Path, int? MaxQueued) one) => Set([.. _endpoints!, Create(one)]);

        public void Dispose() => _change.Dispose();

        private void Set(Endpoint[] endpoints)
        {
            _endpoints = endpoints;
            var before = _change;
            _change = new CancellationTokenSource();
            before.Cancel();
            before.Dispose();
        }

        private Endpoint Create((string Path, int? MaxQueued) one)
        {
            var builder = new RouteEndpointBuilder(static context => context.Response.WriteAsync("done"), RoutePatternFactory.Parse(one.Path), order: 0);
            if (one.MaxQueued is { } most)
            {
                builder.Metadata.Add(new LimitQueueAttribute(most));
            }

            if (ClassName is { } name)
            {
                builder.Metadata.Add(new RunOnAdaptivePoolAttribute(name));
            }

            return builder.Build();
        }
    }
}
