using AdaptivePool.Control;

namespace AdaptivePool.Simulation.Controllers;

/// <summary>
/// The Gradient2 law of Netflix's concurrency-limits with its defaults, written anew: the limit shrinks by the ratio of a long-term to the present response
/// time, and grows by a constant. A peer to compare with, not a part of the pool.
/// </summary>
public sealed class Gradient2Controller : IPoolController
{
    private const double Tolerance = 1.5;
    private const double Smoothing = 0.2;
    private const double QueueSize = 4;
    private const double LeastGradient = 0.5;
    private const double DriftRatio = 2;
    private const double DriftDecay = 0.95;
    private const int LongWindow = 600;
    private const int WarmUp = 10;
    private static readonly TimeSpan s_window = TimeSpan.FromSeconds(1);

    private double _limit;
    private int _inForce;
    private double _longTerm;
    private double _warmUpSum;
    private int _count;

    /// <inheritdoc/>
    public SizeDecision Update(in PoolSample sample)
    {
        if (sample.Target != _inForce)
        {
            _limit = sample.Target;
            _inForce = sample.Target;
        }

        if (sample.Completions > 0 && sample.MeanServiceTime > TimeSpan.Zero)
        {
            Follow(sample);
        }

        int before = _inForce;
        _limit = Math.Clamp(_limit, sample.MinTarget, sample.MaxTarget);
        _inForce = (int)_limit;
        DecisionReason reason = _inForce > before ? DecisionReason.JumpUp : _inForce < before ? DecisionReason.JumpDown : DecisionReason.Hold;
        return new(_inForce, s_window, reason, new ControllerTrace { From = before, To = _inForce, Reason = reason, State = "Gradient2" });
    }

    /// <inheritdoc/>
    public void Reinitialize(int target, DecisionReason reason)
    {
        _limit = target;
        _inForce = target;
        _count = 0;
        _warmUpSum = 0;
    }

    private void Follow(in PoolSample sample)
    {
        double shortTerm = sample.MeanServiceTime.TotalSeconds;
        AddToLongTerm(shortTerm);
        if (_longTerm / shortTerm > DriftRatio)
        {
            _longTerm *= DriftDecay;
        }

        if (sample.Active < _limit / 2)
        {
            return;
        }

        double gradient = Math.Clamp(Tolerance * _longTerm / shortTerm, LeastGradient, 1);
        _limit = (_limit * (1 - Smoothing)) + (((_limit * gradient) + QueueSize) * Smoothing);
    }

    private void AddToLongTerm(double value)
    {
        if (_count < WarmUp)
        {
            _count++;
            _warmUpSum += value;
            _longTerm = _warmUpSum / _count;
            return;
        }

        const double Factor = 2.0 / (LongWindow + 1);
        _longTerm = (_longTerm * (1 - Factor)) + (value * Factor);
    }
}
