using AdaptivePool.Sample.Bank.Compare;
using AdaptivePool.Sample.Bank.Threads;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;

namespace AdaptivePool.Sample.Bank.Show;

/// <summary>The banks that the page shows.</summary>
internal sealed class Board(Func<IReadOnlyList<WatchedBank>> create) : IDisposable
{
    private readonly Lazy<IReadOnlyList<WatchedBank>> _banks = new(create);

    /// <summary>The bank that this process is. Its address is known once it listens, so it is looked up at the first question.</summary>
    public static Board OfSelf(IServiceProvider services) => new(() =>
    {
        string address = services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()?.Addresses.FirstOrDefault()
            ?? throw new InvalidOperationException("The page needs the address that the server listens on.");
        AdaptiveThreadPool? pool = services.GetService<AdaptiveThreadPool>();
        return [new WatchedBank(pool is null ? "runtime" : "adaptive", new LoadClient(Reachable(address)), () => PoolReport.Take(pool))];
    });

    public IReadOnlyList<BankView> Read() => [.. _banks.Value.Select(b => b.Read())];

    /// <summary>Starts a load on one bank, or on all.</summary>
    public BoardStart Start(BoardLoad load, string? name)
    {
        WatchedBank[] banks = [.. _banks.Value.Where(b => name is null || b.Name == name)];
        if (banks.Length == 0)
        {
            return BoardStart.UnknownBank;
        }

        bool started = false;
        foreach (WatchedBank bank in banks)
        {
            started |= bank.TryStart(load);
        }

        return started ? BoardStart.Started : BoardStart.AlreadyRunning;
    }

    public void Dispose()
    {
        if (_banks.IsValueCreated)
        {
            foreach (WatchedBank bank in _banks.Value)
            {
                bank.Dispose();
            }
        }
    }

    /// <summary>A server that listens on all addresses is asked on this machine's own.</summary>
    private static Uri Reachable(string address)
        => new(address.Replace("://+", "://127.0.0.1", StringComparison.Ordinal).Replace("://*", "://127.0.0.1", StringComparison.Ordinal)
            .Replace("://0.0.0.0", "://127.0.0.1", StringComparison.Ordinal).Replace("://[::]", "://[::1]", StringComparison.Ordinal));
}
