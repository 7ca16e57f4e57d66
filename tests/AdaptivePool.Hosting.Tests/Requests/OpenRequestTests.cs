using AdaptivePool.Hosting.Tests.Apps;
using Microsoft.AspNetCore.Builder;
using Shouldly;
using Xunit;

namespace AdaptivePool.Hosting.Tests.Requests;

/// <summary>A class knows how many requests it has, those that await included.</summary>
public sealed class OpenRequestTests
{
    private readonly TaskCompletionSource _answer = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly SemaphoreSlim _entered = new(0);

    [Fact]
    public async Task CountConnections_RequestsThatAwait_AreCountedUntilTheyEnd()
    {
        await using var app = await TestApp.StartAsync(it =>
        {
            it.UseAdaptivePool();
            it.MapGet("/wait", WaitAsync);
            it.MapGet("/fail", string () => throw new InvalidOperationException("fails"));
        });
        Task<string>[] waiting = [.. Enumerable.Range(0, 5).Select(_ => app.GetAsync("/wait"))];
        for (var i = 0; i < waiting.Length; i++)
        {
            (await _entered.WaitAsync(TestApp.Patience)).ShouldBeTrue();
        }

        var count = app.Pool.GetClass("GET /wait").CountConnections.ShouldNotBeNull();
        count().ShouldBe(5);
        _answer.SetResult();
        await Task.WhenAll(waiting);

        // A client may have read its answer before the pipeline has ended.
        await NobodyAsync(count);
        (await app.Client.GetAsync(new Uri("/fail", UriKind.Relative))).IsSuccessStatusCode.ShouldBeFalse();
        await NobodyAsync(app.Pool.GetClass("GET /fail").CountConnections!);
    }

    [Fact]
    public async Task CountConnections_SetByTheApplication_Stays()
    {
        await using var app = await TestApp.StartAsync(it =>
        {
            it.UseAdaptivePool();
            it.MapGet("/hello", static () => "hello");
        });
        app.Pool.GetClass("GET /hello").CountConnections = static () => 42;
        (await app.GetAsync("/hello")).ShouldBe("hello");
        app.Pool.GetClass("GET /hello").CountConnections!().ShouldBe(42);
    }

    [Fact]
    public async Task CountConnections_FirstRequestsAtOnce_AreAllCounted()
    {
        const int Endpoints = 100;
        await using var app = await TestApp.StartAsync(it =>
        {
            it.UseAdaptivePool();
            for (var i = 0; i < Endpoints; i++)
            {
                it.MapGet($"/wait{i}", WaitAsync);
            }
        });
        List<Task<string>> waiting = [];
        for (var i = 0; i < Endpoints; i++)
        {
            using var together = new Barrier(2);
            Task<string>[] first = await Task.WhenAll(Enumerable.Range(0, 2).Select(_ => Task.Factory.StartNew(
                () =>
                {
                    together.SignalAndWait();
                    return app.GetAsync($"/wait{i}");
                },
                TaskCreationOptions.LongRunning)));
            waiting.AddRange(first);
        }

        for (var i = 0; i < waiting.Count; i++)
        {
            (await _entered.WaitAsync(TestApp.Patience)).ShouldBeTrue();
        }

        var counts = Enumerable.Range(0, Endpoints).Select(i => app.Pool.GetClass($"GET /wait{i}").CountConnections!()).ToArray();
        _answer.SetResult();
        await Task.WhenAll(waiting);
        counts.ShouldAllBe(static count => count == 2);
    }

    private static async Task NobodyAsync(Func<int> count)
    {
        using var patience = new CancellationTokenSource(TestApp.Patience);
        while (count() != 0)
        {
            await Task.Delay(1, patience.Token);
        }
    }

    private async Task<string> WaitAsync()
    {
        _entered.Release();
        await _answer.Task;
        return "done";
    }
}
