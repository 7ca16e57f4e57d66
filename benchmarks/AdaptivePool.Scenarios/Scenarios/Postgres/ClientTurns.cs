using AdaptivePool.Scenarios.Harness;
using AdaptivePool.Scenarios.Load;
using AdaptivePool.Scenarios.Pools;

namespace AdaptivePool.Scenarios.Scenarios.Postgres;

/// <summary>
/// One warm process in which different numbers of asynchronous clients take turns: all clients of a turn have ended before the next one begins, and a turn
/// counts from when about as many transactions have ended as it has clients, so that neither the beginning nor the end of a turn counts.
/// </summary>
public sealed class ClientTurns
{
    /// <summary>
    /// Few and many clients have connections of their own, which stay open: a driver's pool that goes round through all connections it ever opened would let
    /// few clients pay for the turn before. Together they are fewer than the server allows.
    /// </summary>
    private static readonly int[] s_connectionsFor = [16, 128, int.MaxValue];
    private readonly Transactions[] _banks;
    private readonly ComparedClass _whole;
    private readonly ClosedLoop _loop;
    private (ComparedClass Target, Transactions Bank) _way;

    /// <summary>Creates the clients; none sends yet.</summary>
    public ClientTurns(ChildContext child, int mostClients)
    {
        Work = new PostgresWork(child, synchronous: false);
        _whole = child.Pool.Whole;
        _banks = [Work.Bank, .. s_connectionsFor.Skip(1).Select(_ => Work.CreateBank())];
        _way = (_whole, _banks[0]);
        _loop = new ClosedLoop(_whole with { Run = run => _way.Target.Run(run) }, mostClients, null, () => _way.Bank.RunAsync(), collectFrom: int.MaxValue);
    }

    /// <summary>The transactions.</summary>
    public PostgresWork Work { get; }

    /// <summary>One turn.</summary>
    /// <param name="clients">Number of clients.</param>
    /// <param name="duration">How long it counts.</param>
    /// <exception cref="TimeoutException">The clients did not end.</exception>
    public ClientTurn Take(int clients, TimeSpan duration)
    {
        Transactions bank = _banks[Array.FindIndex(s_connectionsFor, most => clients <= most)];
        LatencyHistogram inside = Work.InsideOf(bank, _loop);
        double tps = Take(clients, duration, _whole, bank, inside.Clear);
        return new ClientTurn(tps, inside.Milliseconds(0.99));
    }

    /// <summary>One turn another way.</summary>
    /// <param name="clients">Number of clients.</param>
    /// <param name="duration">How long it counts.</param>
    /// <param name="target">Where the transactions go.</param>
    /// <param name="bank">The transactions.</param>
    /// <param name="begin">Called when the turn begins to count.</param>
    /// <returns>Transactions per second.</returns>
    /// <exception cref="TimeoutException">The clients did not end.</exception>
    public double Take(int clients, TimeSpan duration, ComparedClass target, Transactions bank, Action? begin = null)
    {
        _way = (target, bank);
        return _loop.TakeTurn(clients, duration, begin);
    }

    /// <summary>Reports what belongs to all turns together.</summary>
    public void ReportEnd()
    {
        Work.ReportLimit();
        Work.ReportLeftovers();
        Work.ReportErrors(_loop);
    }
}
