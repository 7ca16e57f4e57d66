using System.Runtime.CompilerServices;
using System.Threading.Channels;
using Microsoft.AspNetCore.SignalR;

namespace AdaptivePool.Hosting.Tests.Apps;

/// <summary>Tells where each part of a hub runs.</summary>
public class PlacesHub(HubVisits visits) : Hub
{
    // A field initializer is part of the constructor.
    private readonly string _made = Whereabouts.Here();

    public override async Task OnConnectedAsync()
    {
        visits.Places["connected"] = Whereabouts.Here();
        await base.OnConnectedAsync();
    }

    public override Task OnDisconnectedAsync(Exception? exception)
    {
        visits.Disconnected.TrySetResult(Whereabouts.Here());
        return base.OnDisconnectedAsync(exception);
    }

    public string Where() => Whereabouts.Here();

    public string Made() => _made;

    public string Class() => visits.Pool.ActiveClasses();

    public string PoolName() => AdaptiveThreadPool.Current?.Name ?? "none";

    public async Task<string> After()
    {
        var before = Whereabouts.Here();
        await Task.Delay(1);
        var between = Whereabouts.Here();
        await Clients.Caller.SendAsync("Ignored");
        return $"{before},{between},{Whereabouts.Here()}";
    }

    public async IAsyncEnumerable<string> Stream([EnumeratorCancellation] CancellationToken cancellationToken)
    {
        for (var i = 0; i < 3; i++)
        {
            yield return Whereabouts.Here();
            await Task.Delay(1, cancellationToken);
        }

        visits.Places["stream's end"] = Whereabouts.Here();
    }

    public ChannelReader<string> Channel()
    {
        var channel = System.Threading.Channels.Channel.CreateUnbounded<string>();
        channel.Writer.TryWrite(Whereabouts.Here());
        channel.Writer.Complete();
        return channel.Reader;
    }

    public async Task<string> Upload(IAsyncEnumerable<string> parts)
    {
        List<string> places = [];
        await foreach (var part in parts)
        {
            places.Add($"{part}:{Whereabouts.Here()}");
        }

        return string.Join(',', places);
    }

    public async Task<string> Ask() => $"{await Clients.Caller.InvokeAsync<string>("Answer", Context.ConnectionAborted)}:{Whereabouts.Here()}";

    public string AskAndBlock() => Clients.Caller.InvokeAsync<string>("Answer", Context.ConnectionAborted).Result;

    public string Block()
    {
        visits.Entered.Signal();
        visits.Open.Wait(TestApp.Patience);
        return Whereabouts.Here();
    }

    public string Fail() => throw new HubException("as meant");

    [RunOnAdaptivePool("named")]
    public string Named() => visits.Pool.ActiveClasses();

    [HubMethodName("renamed")]
    public string Original() => visits.Pool.ActiveClasses();

    [DisableAdaptivePool]
    public async Task<string> Disabled()
    {
        var before = Whereabouts.Here();
        await Task.Yield();
        return $"{before},{Whereabouts.Here()}";
    }

    [OnBlocking(BlockingAction.Throw)]
    public bool Strict()
    {
        using var signal = new AutoResetEvent(true);
        return signal.WaitOne();
    }
}
