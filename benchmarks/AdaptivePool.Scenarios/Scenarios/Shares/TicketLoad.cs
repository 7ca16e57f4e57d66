using System.Diagnostics;
using AdaptivePool.Admission;
using AdaptivePool.Scenarios.Harness;
using AdaptivePool.Scenarios.Load;

namespace AdaptivePool.Scenarios.Scenarios.Shares;

/// <summary>
/// Clients that run transactions of 20 items behind a gate, beside as many that run single items in the same class: with all items of a transaction before new
/// work, with tickets for some of them, and with none. Each client waits for its item before it sends the next.
/// </summary>
internal sealed class TicketLoad : IDisposable
{
    private const int Clients = 32;
    private const int Permits = 8;
    private const int Statements = 20;
    private const int Turns = 3;
    private const double Milliseconds = 0.1;

    private readonly CpuBurner _burner;
    private readonly AdaptiveThreadPool _pool;
    private readonly TransactionGate _gate = new(new TransactionGateOptions { PermitLimit = Permits });
    private readonly LatencyHistogram _others = new();
    private readonly LatencyHistogram _transactions = new();
    private bool _ends;

    private TicketLoad(CpuBurner burner, HighPriorityMode mode, int? tickets) => (_burner, _pool) = (burner, new AdaptiveThreadPool(
        new AdaptivePoolOptions { HighPriorityMode = mode, HighPriorityTickets = tickets }));

    /// <summary>Each way in turn, the median of each figure.</summary>
    public static void Measure(ChildContext child)
    {
        (string Name, HighPriorityMode Mode, int? Tickets)[] ways =
        [
            ("all", HighPriorityMode.Transactions, null), ("4", HighPriorityMode.Transactions, 4), ("1", HighPriorityMode.Transactions, 1),
            ("none", HighPriorityMode.None, null),
        ];
        CpuBurner burner = child.CreateBurner();
        var seen = ways.ToDictionary(static way => way.Name, static _ => new List<(double Transaction, double Other)>());
        for (int turn = 0; turn < Turns; turn++)
        {
            foreach ((string name, HighPriorityMode mode, int? tickets) in ways)
            {
                using var load = new TicketLoad(burner, mode, tickets);
                seen[name].Add(load.Run(child.Seconds(5, 2)));
            }
        }

        foreach ((string name, List<(double Transaction, double Other)> turns) in seen)
        {
            child.Report($"transaction-p50-{name}-ms", turns.Select(static it => it.Transaction).Order().ElementAt(Turns / 2));
            child.Report($"other-p99-{name}-ms", turns.Select(static it => it.Other).Order().ElementAt(Turns / 2));
        }
    }

    public void Dispose()
    {
        _pool.Dispose();
        _gate.Dispose();
    }

    private (double Transaction, double Other) Run(TimeSpan measured)
    {
        Task[] clients = [.. Enumerable.Range(0, 2 * Clients).Select(i => Task.Run(i < Clients ? SendTransactionsAsync : SendOthersAsync))];
        Thread.Sleep(TimeSpan.FromSeconds(1));
        _others.Clear();
        _transactions.Clear();
        Thread.Sleep(measured);
        (double, double) result = (_transactions.Milliseconds(0.5), _others.Milliseconds(0.99));
        Volatile.Write(ref _ends, true);
        Task.WaitAll(clients);
        return result;
    }

    private async Task SendTransactionsAsync()
    {
        while (!Volatile.Read(ref _ends))
        {
            // Without the wait for the permit: how long a permit is held.
            using var lease = await _gate.AcquireAsync(default(TransactionRequest));
            long start = Stopwatch.GetTimestamp();
            for (int i = 0; i < Statements; i++)
            {
                await _pool.Run(Burn);
            }

            _transactions.Add(Stopwatch.GetTimestamp() - start);
        }
    }

    private async Task SendOthersAsync()
    {
        while (!Volatile.Read(ref _ends))
        {
            long start = Stopwatch.GetTimestamp();
            await _pool.Run(Burn);
            _others.Add(Stopwatch.GetTimestamp() - start);
        }
    }

    private void Burn() => _burner.Burn(Milliseconds);
}
