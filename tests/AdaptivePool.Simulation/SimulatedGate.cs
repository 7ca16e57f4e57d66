using AdaptivePool.Admission;
using AdaptivePool.Simulation.Curves;

namespace AdaptivePool.Simulation;

/// <summary>A database behind an adaptive gate, and clients in a closed loop, on virtual time: as many transactions are inside as the limit and the clients
/// allow, the other clients wait. After a cut those above the limit stay until they have ended, at the rate of as many as are inside, and nobody is let
/// in.</summary>
internal sealed class SimulatedGate
{
    private readonly SimulatedPool _database;
    private readonly TransactionLimitPolicy _policy;
    private readonly int _clients;
    private double _insideSeconds;
    private long _ended;
    private long _admitted;
    private long _admittedAfterWait;
    private TimeSpan _interval;
    private int _held;

    public SimulatedGate(TransactionLimitPolicy policy, CostCurve curve, SimulationSettings settings, int clients)
    {
        _policy = policy;
        _clients = clients;
        _held = Math.Min(policy.Limit, clients);
        _database = new SimulatedPool(curve, Math.Min(policy.Limit, clients), settings);
    }

    public double Now => _database.Now;

    public int Limit => _policy.Limit;

    /// <summary>Highest limit so far.</summary>
    public int Peak { get; private set; }

    /// <summary>Lowest limit so far.</summary>
    public int Lowest { get; private set; } = int.MaxValue;

    /// <summary>Limits with their time.</summary>
    public List<(double At, LimitDecision Decision)> Decisions { get; } = [];

    /// <summary>Runs for some virtual time.</summary>
    /// <returns>What was delivered of what the best limit would have.</returns>
    public double Run(double seconds)
    {
        double end = _database.Now + seconds;
        double delivered = _database.Delivered;
        double ideal = _database.Ideal;
        while (_database.Now < end - 1e-6)
        {
            Step(Math.Min(_interval.TotalSeconds, end - _database.Now));
        }

        return (_database.Delivered - delivered) / (_database.Ideal - ideal);
    }

    private void Step(double seconds)
    {
        if (seconds > 0)
        {
            AdaptivePool.Control.PoolSample sample = _database.Run(TimeSpan.FromSeconds(seconds));
            _held = sample.Active;
            _ended += sample.Completions;
            long before = _admitted;
            _admitted = Math.Max(_admitted, _ended + _held);
            _admittedAfterWait += Waiting > 0 ? _admitted - before : 0;
            _insideSeconds += sample.MeanServiceTime.TotalSeconds * sample.Completions;
        }

        LimitDecision decision = _policy.Observe(new LimitObservation
        {
            Now = TimeSpan.FromSeconds(_database.Now),
            Limit = _policy.Limit,
            Held = _held,
            Queued = Waiting,
            Ended = _ended,
            Failed = 0,
            InsideSeconds = _insideSeconds,
            Timed = _ended,
            Admitted = _admitted,
            AdmittedAfterWait = _admittedAfterWait,
        });
        _interval = decision.LookAgain;
        if (decision.Trace is not null)
        {
            Decisions.Add((_database.Now, decision));
        }

        _database.Target = Math.Min(decision.Limit, _clients);
        Peak = Math.Max(Peak, decision.Limit);
        Lowest = Math.Min(Lowest, decision.Limit);
    }

    private int Waiting => _clients - _database.Target;
}
