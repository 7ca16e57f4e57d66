using AdaptivePool.Admission;
using AdaptivePool.Scenarios.Harness;
using AdaptivePool.Scenarios.Load;
using AdaptivePool.Scenarios.Pools;

namespace AdaptivePool.Scenarios.Scenarios.Postgres;

/// <summary>What the runs of the postgres scenario share in the child: the transactions of the case, behind the gate of the pool where its data source has one,
/// and the lines that each report ends with.</summary>
public sealed class PostgresWork
{
    private static readonly TimeSpan s_givingBack = TimeSpan.FromSeconds(1);
    private readonly ChildContext _child;

    /// <summary>Prepares the transactions of the child's case.</summary>
    /// <param name="child">The child.</param>
    /// <param name="synchronous">Whether transactions hold a thread.</param>
    /// <exception cref="UsageException">The pool has no such transactions.</exception>
    public PostgresWork(ChildContext child, bool synchronous)
    {
        _child = child;
        if (synchronous && child.Pool is KeptComparedPool)
        {
            throw new UsageException("The kept-N pools have asynchronous cases only: a synchronous call that waits holds a thread.");
        }

        Bank = CreateBank();
    }

    /// <summary>The transactions.</summary>
    public Transactions Bank { get; }

    /// <summary>The gate that transactions pass; null without one of ours.</summary>
    public TransactionGate? Gate => (_child.Pool as GatedComparedPool)?.Limiter as TransactionGate ?? (_child.Pool as KeptComparedPool)?.Gate;

    /// <summary>The same transactions over connections of their own.</summary>
    public Transactions CreateBank()
    {
        Transactions bank = Transactions.Create(PostgresCases.WorkloadOf(_child.Case), _child.Setting(PostgresEnvironment.ConnectionSetting));
        if (_child.Pool is KeptComparedPool kept)
        {
            bank.Keep(kept.Gate);
        }

        return bank;
    }

    /// <summary>Times from being let in to the end of a bank's transactions; from sending on where nothing lets in.</summary>
    public LatencyHistogram InsideOf(Transactions bank, ClosedLoop loop) => _child.Pool switch
    {
        GatedComparedPool gated => gated.Inside,
        KeptComparedPool => bank.Inside,
        _ => loop.Latency,
    };

    /// <summary>Reports a quantile unless there is nothing to report.</summary>
    public void ReportP99(string metric, LatencyHistogram latency)
    {
        double p99 = latency.Milliseconds(0.99);
        if (double.IsFinite(p99))
        {
            _child.Report(metric, p99);
        }
    }

    /// <summary>Reports the limit of the gate, where there is one.</summary>
    public void ReportLimit()
    {
        if (Gate is { } gate)
        {
            _child.Report("limit", gate.GetSnapshot().Adaptive?.Verified ?? gate.PermitLimit);
        }
    }

    /// <summary>Reports what a gate without clients still holds: anything but zero is a permit that nobody will give back.</summary>
    public void ReportLeftovers()
    {
        if (Gate is { } gate)
        {
            // An item has ended a moment before its permit is given back.
            SpinWait.SpinUntil(() => gate.GetSnapshot() is { Held: 0, Queued: 0 }, s_givingBack);
            GateSnapshot end = gate.GetSnapshot();
            _child.Report("permits-lost", end.Held);
            _child.Report("queued-at-end", end.Queued);
        }
    }

    /// <summary>Reports the most threads that the pool had, and that were in the database at once where any was.</summary>
    public void ReportPeaks(PeakSampler sampler)
    {
        _child.Report("peak-threads", sampler.Peak);
        if (Bank.PeakThreads > 0)
        {
            _child.Report("peak-database-threads", Bank.PeakThreads);
        }
    }

    /// <summary>Reports failures, and says what the first one was.</summary>
    public void ReportErrors(ClosedLoop loop)
    {
        _child.Report("errors", loop.Failed);
        if (loop.FirstFailure is { } failure)
        {
            Console.Error.WriteLine(failure);
        }
    }
}
