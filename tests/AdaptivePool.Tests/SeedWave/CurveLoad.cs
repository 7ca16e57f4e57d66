using AdaptivePool.Control;

namespace AdaptivePool.Tests.SeedWave;

/// <summary>
/// Clients of a real pool that keep it busy, each with one item after the other. An item sleeps for as long as its curve says that it takes beside so many
/// others: the throughput at n running items is the curve's.
/// </summary>
internal sealed class CurveLoad : IDisposable
{
    private readonly WorkClass _class;
    private readonly List<Task> _clients = [];
    private int _running;
    private int _served;
    private int _wanted;

    public CurveLoad(WorkClass workClass, int clients, Func<int, double> throughput)
    {
        _class = workClass;
        Throughput = throughput;
        SetClients(clients);
    }

    /// <summary>Completions per second at so many running items; may be exchanged.</summary>
    public Func<int, double> Throughput { get; set; }

    /// <summary>A number that changes between 0 and 1 with every thousand items: for a load that goes to and fro, so that nobody needs to know when a search
    /// has taken its measure.</summary>
    public int Turn => Volatile.Read(ref _served) / 1_000 % 2;

    /// <summary>Sends clients away, or brings more.</summary>
    public void SetClients(int clients)
    {
        Volatile.Write(ref _wanted, clients);
        for (int i = _clients.Count(static it => !it.IsCompleted); i < clients; i++)
        {
            int number = i;
            _clients.Add(Task.Run(() => SendAsync(number)));
        }
    }

    /// <summary>Ends all clients; the pool is empty then.</summary>
    public void Stop()
    {
        SetClients(0);
        Eventually.End(Task.WhenAll(_clients), "the clients end");
    }

    public void Dispose() => Stop();

    private async Task SendAsync(int number)
    {
        while (number < Volatile.Read(ref _wanted))
        {
            await _class.Run(Serve).ConfigureAwait(false);
        }
    }

    private void Serve()
    {
        Interlocked.Increment(ref _served);
        int beside = Interlocked.Increment(ref _running);
        Thread.Sleep(TimeSpan.FromSeconds(beside / Throughput(beside)));
        Interlocked.Decrement(ref _running);
    }
}
