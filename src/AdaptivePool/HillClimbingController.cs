using AdaptivePool.Control;
using AdaptivePool.SeedWave;

namespace AdaptivePool;

/// <summary>
/// Finds a size by making a small wave of sizes and looking for it in the throughput. <see cref="HillClimbingOptions.Profile"/> says how: by paired probes and
/// a sequential test, or as the founding document does. Samples that cannot be are refused here, so that no search learns from them. Not safe for concurrent
/// use; one instance per pool or work class.
/// </summary>
public sealed class HillClimbingController : IPoolController, IWholeController
{
    private readonly ISizeSearch _search;
    private readonly TimeSpan _idleInterval;
    private readonly bool _isEnabled;
    private ControllerTrace? _holdTrace;
    private int _inForce;

    /// <summary>Creates a controller that starts from the size of its first sample.</summary>
    /// <param name="options">The options; <see langword="null"/> for the defaults.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is outside its range.</exception>
    public HillClimbingController(HillClimbingOptions? options = null)
    {
        // The defaults need no check, and the first one in a process takes milliseconds.
        options?.Validate();
        options ??= new();
        bool isSeed = options.Profile == ControllerProfile.SeedWave;
        _isEnabled = options.Enabled;
        _idleInterval = isSeed ? options.Seed.SamplePeriod : options.MaxSampleInterval;
        _search = isSeed ? new SeedWaveSearch(options.Seed) : new AdaptiveSearch(options);
    }

    /// <summary>What the controller is doing; its traces say it in words.</summary>
    internal ControllerState State => _search.State;

    /// <summary>The size around which the wave runs, in threads; zero before the first sample.</summary>
    public int BaseSize => _isEnabled ? _search.BaseSize : _inForce;

    bool IWholeController.DecidesWhole => _search is SeedWaveSearch;

    /// <inheritdoc/>
    public SizeDecision Update(in PoolSample sample)
    {
        if (!sample.IsPossible)
        {
            return Hold(_inForce > 0 ? _inForce : Math.Max(1, sample.Target), DecisionReason.InvalidSample);
        }

        if (!_isEnabled)
        {
            _inForce = JumpGuard.Clamp(sample.Target, sample.MinTarget, sample.MaxTarget);
            return Hold(_inForce, DecisionReason.Hold);
        }

        SizeDecision decision = _search.Update(sample);
        _inForce = decision.Target;
        return decision;
    }

    /// <inheritdoc/>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="target"/> is under 1.</exception>
    public void Reinitialize(int target, DecisionReason reason)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(target, 1);
        _search.Reinitialize(target, reason);
        _inForce = target;
    }

    private SizeDecision Hold(int target, DecisionReason reason)
    {
        if (_holdTrace is null || _holdTrace.To != target || _holdTrace.Reason != reason)
        {
            _holdTrace = new ControllerTrace { From = target, To = target, Reason = reason, State = _isEnabled ? _search.State.ToString() : "Disabled" };
        }

        return new(target, _idleInterval, reason, _holdTrace) { IsTrial = BaseSize > 0 && target != BaseSize };
    }
}
