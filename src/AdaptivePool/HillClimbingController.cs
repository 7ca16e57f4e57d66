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
    private readonly bool _decidesWhole;

    /// <summary>Creates a controller that starts from the size of its first sample.</summary>
    /// <param name="options">The options; <see langword="null"/> for the defaults.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is outside its range.</exception>
    public HillClimbingController(HillClimbingOptions? options = null)
    {
        // The defaults need no check, and the first one in a process takes milliseconds.
        options?.Validate();
        options ??= new();
        _decidesWhole = options.Profile == ControllerProfile.SeedWave;
        _idleInterval = _decidesWhole ? options.Seed.SamplePeriod : options.MaxSampleInterval;
        _search = !options.Enabled ? new HeldSize(_idleInterval) : _decidesWhole ? new SeedWaveSearch(options.Seed) : new AdaptiveSearch(options);
    }

    /// <summary>What the controller is doing; its traces say it in words.</summary>
    internal ControllerState State => _search.State;

    /// <summary>The size around which the wave runs, in threads; zero before the first sample.</summary>
    public int BaseSize => _search.BaseSize;

    bool IWholeController.DecidesWhole => _decidesWhole;

    /// <inheritdoc/>
    public SizeDecision Update(in PoolSample sample) => SampleRule.IsValid(sample) ? _search.Update(sample) : Refuse(sample);

    /// <inheritdoc/>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="target"/> is under 1.</exception>
    public void Reinitialize(int target, DecisionReason reason)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(target, 1);
        _search.Reinitialize(target, reason);
    }

    // Whatever is in force stays.
    private SizeDecision Refuse(in PoolSample sample)
    {
        int target = sample.Target > 0 ? sample.Target : Math.Max(1, BaseSize);
        var trace = new ControllerTrace { From = target, To = target, Reason = DecisionReason.InvalidSample, State = _search.State.ToString() };
        return new(target, _idleInterval, DecisionReason.InvalidSample, trace) { IsTrial = BaseSize > 0 && target != BaseSize };
    }
}
