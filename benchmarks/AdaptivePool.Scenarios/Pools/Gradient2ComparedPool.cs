using System.Diagnostics;
using AdaptivePool.Admission;
using AdaptivePool.Control;
using AdaptivePool.Simulation.Controllers;

namespace AdaptivePool.Scenarios.Pools;

/// <summary>A limit steered by the Gradient2 law of Netflix's concurrency-limits with its defaults (20 to begin with, 200 at most), once a second. Its queue is
/// our gate's, so that the laws are compared and not the queues.</summary>
public sealed class Gradient2ComparedPool : GatedComparedPool
{
    /// <summary>Name of the pool.</summary>
    public const string PoolName = "gradient2";

    private const int Start = 20;
    private const int Lowest = 20;
    private const int Highest = 200;
    private readonly Gradient2Controller _law = new();
    private readonly TransactionGate _gate;

    /// <summary>Creates the pool and starts its thread.</summary>
    /// <param name="patience">Longest wait at the gate.</param>
    public Gradient2ComparedPool(TimeSpan patience)
        : this(new TransactionGate(new TransactionGateOptions { PermitLimit = Start, QueueTimeout = patience, QueueLimit = 100_000, FlowsWithContext = false }))
    {
    }

    private Gradient2ComparedPool(TransactionGate gate)
        : base(PoolName, gate)
    {
        _gate = gate;
        new Thread(Steer) { IsBackground = true, Name = "gradient2" }.UnsafeStart();
    }

    private void Steer()
    {
        long ended = 0;
        long at = Stopwatch.GetTimestamp();
        while (true)
        {
            Thread.Sleep(TimeSpan.FromSeconds(1));
            GateSnapshot now = _gate.GetSnapshot();
            long endedNow = now.Admitted - now.Held;
            TimeSpan elapsed = Stopwatch.GetElapsedTime(at);
            at = Stopwatch.GetTimestamp();
            long completions = Math.Max(0, endedNow - ended);
            ended = endedNow;
            _gate.PermitLimit = _law.Update(new PoolSample
            {
                Elapsed = elapsed,
                Completions = completions,
                Target = now.PermitLimit,
                MinTarget = Lowest,
                MaxTarget = Highest,
                Queued = now.Queued,
                Active = now.Held,

                // Little's law, as exact as a clock in each transaction.
                MeanServiceTime = completions > 0 ? elapsed * ((double)now.Held / completions) : TimeSpan.Zero,
            }).Target;
        }
    }
}
