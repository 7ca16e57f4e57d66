using Microsoft.AspNetCore.Builder;
using Shouldly;

namespace AdaptivePool.Hosting.Tests.Apps;

/// <summary>Keeps the only worker of an application's pool in a request for "/hold" until it is disposed or opened.</summary>
internal sealed class HeldPool : IAsyncDisposable
{
    private readonly ManualResetEventSlim _open = new();
    private readonly SemaphoreSlim _entered = new(0);
    private Task<string>? _request;

    /// <summary>The settings with which one request holds everything up.</summary>
    public static KeyValuePair<string, string?>[] Settings { get; } = [new("AdaptivePool:MinThreads", "1"), new("AdaptivePool:MaxThreads", "1")];

    public void Map(WebApplication app) => app.MapGet("/hold", () =>
    {
        Enter();
        return "held";
    });

    /// <summary>Holds the caller until it is opened.</summary>
    public void Enter()
    {
        _entered.Release();
        _open.Wait(TestApp.Patience).ShouldBeTrue();
    }

    /// <summary>Waits for somebody to be held.</summary>
    public Task<bool> EnteredAsync() => _entered.WaitAsync(TestApp.Patience);

    public async Task HoldAsync(TestApp app)
    {
        _request = app.GetAsync("/hold");
        (await EnteredAsync()).ShouldBeTrue();
    }

    public void Open() => _open.Set();

    /// <summary>Waits until so many items, or more, wait in a class.</summary>
    public static async Task QueuedAsync(AdaptiveThreadPool pool, string className, int count)
    {
        using var patience = new CancellationTokenSource(TestApp.Patience);
        while (!(pool.GetSnapshot().Classes.FirstOrDefault(it => it.Name == className)?.Queued >= count))
        {
            await Task.Delay(1, patience.Token);
        }
    }

    public async ValueTask DisposeAsync()
    {
        Open();
        if (_request is { } request)
        {
            (await request).ShouldBe("held");
        }
    }
}
