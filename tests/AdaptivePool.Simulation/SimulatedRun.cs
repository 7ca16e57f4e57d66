using AdaptivePool.Control;

namespace AdaptivePool.Simulation;

/// <summary>One controller on one simulated pool, and what came of it.</summary>
public sealed class SimulatedRun
{
    private readonly SimulatedPool _pool;
    private readonly IPoolController _controller;
    private readonly int _maxTarget;
    private TimeSpan _interval = TimeSpan.FromMilliseconds(100);

    public SimulatedRun(IPoolController controller, SimulatedPool pool, int maxTarget = 2048)
    {
        _controller = controller;
        _pool = pool;
        _maxTarget = maxTarget;
    }

    public List<ControllerTrace> Moves { get; } = [];

    public HashSet<DecisionReason> Reasons { get; } = [];

    public int Updates { get; private set; }

    /// <summary>Highest size put in force so far.</summary>
    public int Peak { get; private set; }

    /// <summary>Mean size of the last call of <see cref="For"/>, weighted by time.</summary>
    public double MeanSize { get; private set; }

    /// <summary>Runs for some virtual time; returns 1 - delivered / best possible of that time.</summary>
    public double For(double seconds)
    {
        double end = _pool.Now + seconds;
        double from = _pool.Now;
        double delivered = _pool.Delivered;
        double sizeSeconds = 0;
        while (_pool.Now < end)
        {
            sizeSeconds += _pool.Target * Step();
        }

        MeanSize = sizeSeconds / (_pool.Now - from);
        return 1 - ((_pool.Delivered - delivered) / (_pool.Curve.Best * (_pool.Now - from)));
    }

    /// <summary>
    /// Runs until the present size has reached a share of the best throughput and the next second keeps that share less two points. Returns the completions and
    /// seconds until then; null when the time runs out.
    /// </summary>
    public (double Completions, double Seconds)? Until(double share, double seconds)
    {
        double end = _pool.Now + seconds;
        double startedWith = _pool.Delivered;
        double startedAt = _pool.Now;
        while (_pool.Now < end)
        {
            Step();
            if (_pool.Curve.Throughput(_pool.Target) >= share * _pool.Curve.Best)
            {
                (double, double) reached = (_pool.Delivered - startedWith, _pool.Now - startedAt);
                if (For(Math.Min(1, Math.Max(0.1, end - _pool.Now))) <= 1 - share + 0.02)
                {
                    return reached;
                }
            }
        }

        return null;
    }

    private double Step()
    {
        PoolSample sample = _pool.Run(_interval, _maxTarget);
        double elapsed = _interval.TotalSeconds;
        SizeDecision decision = _controller.Update(sample);
        if (decision.Target != _pool.Target)
        {
            Moves.Add(decision.Trace);
        }

        Reasons.Add(decision.Reason);
        Updates++;
        _pool.Target = decision.Target;
        _interval = decision.NextInterval;
        Peak = Math.Max(Peak, decision.Target);
        return elapsed;
    }
}
