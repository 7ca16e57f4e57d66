using AdaptivePool.Admission;
using AdaptivePool.Hosting.Tests.Apps;
using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
using Shouldly;

namespace AdaptivePool.Hosting.Tests.Gates;

/// <summary>An application with the gate "bank" and an endpoint "/hold" behind it that ends when told to.</summary>
internal sealed class GateApp : IAsyncDisposable
{
    private readonly TestApp _app;
    private readonly TaskCompletionSource _release;

    private GateApp(TestApp app, TaskCompletionSource release)
    {
        _app = app;
        _release = release;
    }

    public TestApp App => _app;

    public HttpClient Client => _app.Client;

    public TransactionGate Gate => _app.Application.Services.GetRequiredKeyedService<TransactionGate>("bank");

    public static async Task<GateApp> StartAsync(Action<TransactionGateOptions> configure, Action<WebApplication>? map = null,
        Action<WebApplicationBuilder>? build = null, Action<WebApplication>? before = null)
    {
        var release = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var app = await TestApp.StartAsync(
            it =>
            {
                before?.Invoke(it);
                it.UseAdaptivePool();
                it.MapGet("/hold", async () =>
                {
                    await release.Task;
                    return Whereabouts.Here();
                }).RequireTransactionGate("bank");
                it.MapGet("/free", Whereabouts.Here);
                map?.Invoke(it);
            },
            builder =>
            {
                builder.Services.AddAdaptivePool();
                builder.Services.AddTransactionGate("bank", configure);
                build?.Invoke(builder);
            });
        return new GateApp(app, release);
    }

    public Task<HttpResponseMessage> SendAsync(string path, CancellationToken token = default) => Client.GetAsync(new Uri(path, UriKind.Relative), token);

    /// <summary>Lets the requests to "/hold" end.</summary>
    public void Release() => _release.SetResult();

    /// <summary>Waits for a state of the gate: requests arrive and leave on their own time.</summary>
    public async Task UntilAsync(Func<GateSnapshot, bool> condition)
    {
        using var patience = new CancellationTokenSource(TestApp.Patience);
        while (!condition(Gate.GetSnapshot()))
        {
            patience.IsCancellationRequested.ShouldBeFalse(Gate.GetSnapshot().ToString());
            await Task.Delay(1);
        }
    }

    public ValueTask DisposeAsync()
    {
        _release.TrySetResult();
        return _app.DisposeAsync();
    }
}
