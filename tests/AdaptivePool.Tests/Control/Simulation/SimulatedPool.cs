using AdaptivePool.Control;

namespace AdaptivePool.Tests.Control.Simulation;

/// <summary>
/// A saturated pool on virtual time. Throughput relaxes to the curve with the time constant R = N / X (Little's law); growing acts at once, shrinking lets one thread go
/// per completion. Noise: counting noise of variance = count, times a lognormal factor, autoregressive over ticks of 100 ms.
/// </summary>
public sealed class SimulatedPool
{
    private const double Tick = 0.1;
    private const double LongestStep = 0.01;
    private readonly Random _random;
    private readonly double _logDeviation;
    private readonly double _correlation;
    private double _state;
    private double _factor;
    private double _nextTick = Tick;
    private double _threads;
    private double _rate;

    public SimulatedPool(CostCurve curve, int start, double noise, double correlation, int seed)
    {
        Curve = curve;
        Target = start;
        _threads = start;
        _rate = curve.Throughput(start);
        _random = new Random(seed);
        _correlation = correlation;
        _logDeviation = Math.Sqrt(Math.Log(1 + (noise * noise)));
        _state = _logDeviation * Gauss();
        _factor = Factor();
    }

    /// <summary>The curve in force; may be exchanged in mid-run.</summary>
    public CostCurve Curve { get; set; }

    public int Target { get; set; }

    /// <summary>Virtual time, in seconds.</summary>
    public double Now { get; private set; }

    /// <summary>Completions so far without their noise: what the sizes chosen were worth.</summary>
    public double Delivered { get; private set; }

    public PoolSample Run(TimeSpan interval, int maxTarget)
    {
        double end = Now + interval.TotalSeconds;
        double noisy = 0;
        double before = Delivered;
        while (Now < end - 1e-12)
        {
            double step = Math.Min(Math.Min(LongestStep, end - Now), Math.Max(1e-9, _nextTick - Now));
            Relax(step);
            double done = _rate * step;
            Delivered += done;
            noisy += done * _factor;
            Now += step;
            if (Now >= _nextTick - 1e-9)
            {
                _nextTick += Tick;
                _state = (_correlation * _state) + (Math.Sqrt(1 - (_correlation * _correlation)) * _logDeviation * Gauss());
                _factor = Factor();
            }
        }

        return new PoolSample
        {
            Elapsed = interval,
            Completions = Count(noisy),
            Target = Target,
            MinTarget = 1,
            MaxTarget = maxTarget,
            Queued = 100_000,
            Active = Target,
            Blocked = Curve.KnowsCpu ? Target / 2 : 0,
            Cores = 2,
            Utilisation = Curve.Utilisation((Delivered - before) / interval.TotalSeconds),
        };
    }

    private void Relax(double step)
    {
        _threads = Target >= _threads ? Target : Math.Max(Target, _threads - (_rate * step));
        double goal = Curve.Throughput(_threads);
        double response = _threads / goal;
        _rate = goal + ((_rate - goal) * Math.Exp(-step / response));
    }

    private double Factor() => Math.Exp(_state - (_logDeviation * _logDeviation / 2));

    private long Count(double mean)
    {
        if (mean > 40)
        {
            return (long)Math.Max(0, Math.Round(mean + (Math.Sqrt(mean) * Gauss())));
        }

        // Knuth's Poisson draw.
        double limit = Math.Exp(-mean);
        long count = -1;
        double product = 1;
        do
        {
            product *= _random.NextDouble();
            count++;
        }
        while (product > limit);
        return count;
    }

    private double Gauss() => Math.Sqrt(-2 * Math.Log(1 - _random.NextDouble())) * Math.Cos(2 * Math.PI * _random.NextDouble());
}
