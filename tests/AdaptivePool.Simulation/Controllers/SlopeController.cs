using AdaptivePool.Control;

namespace AdaptivePool.Simulation.Controllers;

/// <summary>
/// The control theory approach that the founding document tells of before its own (Hellerstein, Morrison and Eilebrecht, SIGMETRICS
/// Performance Evaluation Review 37-3, 2009): x(k+1) = x(k) + sign(D) ceil(a |D|), D the slope of the mean throughput between the last two sizes,
/// a = exp(-s) g / sqrt(k + 1), s the standard deviation of the mean at the present size. A comparator: it drowns in noise, which is why the wave was invented.
/// Not safe for concurrent use.
/// </summary>
public sealed class SlopeController : IPoolController
{
    private readonly SlopeOptions _options;
    private int _inForce;
    private int _previousSize;
    private double _previousMean;
    private double _sum;
    private double _sumOfSquares;
    private int _samples;
    private int _steps;
    private int _direction = 1;
    private ControllerTrace? _holdTrace;

    /// <summary>Creates a controller that starts from the size of its first sample.</summary>
    /// <param name="options">The options; <see langword="null"/> for the defaults.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is outside its range.</exception>
    public SlopeController(SlopeOptions? options = null)
    {
        _options = options ?? new();
        _options.Validate();
    }

    /// <inheritdoc/>
    public SizeDecision Update(in PoolSample sample)
    {
        if (!sample.IsPossible)
        {
            return Keep(Math.Max(1, _inForce > 0 ? _inForce : sample.Target), DecisionReason.InvalidSample);
        }

        int allowed = Clamp(sample.Target, sample);
        if (sample.Target != _inForce || allowed != sample.Target)
        {
            DecisionReason cause = _inForce == 0 ? DecisionReason.Initial : DecisionReason.Reinitialized;
            Reinitialize(allowed, cause);
            return Keep(allowed, cause);
        }

        if (sample.Queued == 0)
        {
            ClearSamples();
            return Keep(_inForce, DecisionReason.DemandLimited);
        }

        double throughput = sample.Completions / sample.Elapsed.TotalSeconds / _options.ThroughputUnit;
        _sum += throughput;
        _sumOfSquares += throughput * throughput;
        return ++_samples < _options.SamplesPerSize ? Keep(_inForce, DecisionReason.Hold) : Step(sample);
    }

    /// <inheritdoc/>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="target"/> is under 1.</exception>
    public void Reinitialize(int target, DecisionReason reason)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(target, 1);
        _inForce = target;
        _previousSize = 0;
        _steps = 0;
        _direction = 1;
        ClearSamples();
    }

    private static int Clamp(double size, in PoolSample sample) => (int)Math.Clamp(size, sample.MinTarget, sample.MaxTarget);

    private SizeDecision Step(in PoolSample sample)
    {
        double mean = _sum / _samples;
        double variance = Math.Max(0, (_sumOfSquares - (_samples * mean * mean)) / (_samples - 1));
        double deviation = Math.Sqrt(variance / _samples);
        double slope = double.NaN;
        double step = _direction;
        if (_previousSize > 0)
        {
            slope = (mean - _previousMean) / (_inForce - _previousSize);
            double length = Math.Ceiling(Math.Exp(-deviation) * _options.Gain / Math.Sqrt(_steps + 1) * Math.Abs(slope));

            // Two equal means have no slope; a step in the direction of the last one gives the next measurement something to compare.
            step = slope == 0 ? _direction : Math.Sign(slope) * Math.Max(1, length);
        }

        int from = _inForce;
        int target = Clamp(from + step, sample);
        if (target == from)
        {
            // At a bound the formula stands still for ever: the slope needs two sizes.
            target = Clamp(from - Math.Sign(step), sample);
        }

        _steps++;
        ClearSamples();
        if (target == from)
        {
            return Keep(from, DecisionReason.Hold);
        }

        _direction = Math.Sign(target - from);
        _previousSize = from;
        _previousMean = mean;
        _inForce = target;
        DecisionReason reason = double.IsNaN(slope) ? DecisionReason.Wave : target > from ? DecisionReason.JumpUp : DecisionReason.JumpDown;
        return new(target, _options.SampleInterval, reason, new ControllerTrace
        {
            From = from,
            To = target,
            Reason = reason,
            State = "Slope",
            ThroughputPerSecond = mean * _options.ThroughputUnit,
            Gain = slope,
            Noise = deviation,
            Utilisation = sample.Utilisation,
        });
    }

    private SizeDecision Keep(int target, DecisionReason reason)
    {
        if (_holdTrace is null || _holdTrace.To != target || _holdTrace.Reason != reason)
        {
            _holdTrace = new ControllerTrace { From = target, To = target, Reason = reason, State = "Slope" };
        }

        return new(target, _options.SampleInterval, reason, _holdTrace);
    }

    private void ClearSamples()
    {
        _sum = 0;
        _sumOfSquares = 0;
        _samples = 0;
    }
}
