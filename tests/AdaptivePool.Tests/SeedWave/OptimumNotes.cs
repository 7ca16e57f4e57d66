using System.Collections.Concurrent;
using AdaptivePool.Control;

namespace AdaptivePool.Tests.SeedWave;

/// <summary>Notes between which two samples the optimum of a search was lost: the first one in Optimized, which fixes its values, and the last.</summary>
internal sealed class OptimumNotes(SeedWaveOptions options) : IWholeController
{
    private readonly HillClimbingController _inner = new(new() { Profile = ControllerProfile.SeedWave, Seed = options });
    private readonly ConcurrentQueue<(PoolSample Then, PoolSample Now)> _lost = [];
    private PoolSample? _fixed;
    private bool _isFixedNext;

    /// <summary>What was noted.</summary>
    public IReadOnlyCollection<(PoolSample Then, PoolSample Now)> Lost => _lost;

    public int BaseSize => _inner.BaseSize;

    public bool DecidesWhole => true;

    public SizeDecision Update(in PoolSample sample)
    {
        SizeDecision decision = _inner.Update(sample);
        if (_isFixedNext)
        {
            _fixed = sample;
        }
        else if (decision.Reason == DecisionReason.OptimumLost && _fixed is { } then)
        {
            _lost.Enqueue((then, sample));
        }

        _isFixedNext = decision.Reason == DecisionReason.Optimized;
        return decision;
    }

    public void Reinitialize(int target, DecisionReason reason) => _inner.Reinitialize(target, reason);
}
