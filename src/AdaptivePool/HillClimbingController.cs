using AdaptivePool.SeedWave;

namespace AdaptivePool;

/// <summary>
/// Finds a size: it varies the size in a small wave and looks for the wave in the throughput. <see cref="HillClimbingOptions.Profile"/> selects the method:
/// paired probes with a sequential test, or the method of the founding document. The controller rejects impossible samples, so no search learns from them. It
/// is not safe for concurrent use. Use one instance per pool or work class.
/// </summary>
public sealed class HillClimbingController : IPoolController, IWholeController, ISizeVerifier
{
    // One instance for all controllers: each class has one.
    private static readonly HillClimbingOptions s_defaults = new();
    private readonly HillClimbingOptions _options;
    private ISizeSearch? _search;

    /// <summary>Creates a controller that starts from the size of its first sample.</summary>
    /// <param name="options">The options; <see langword="null"/> for the defaults.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is outside its range.</exception>
    public HillClimbingController(HillClimbingOptions? options = null)
    {
        // The defaults need no check, and the first check in a process takes milliseconds.
        options?.Validate();
        _options = options ?? s_defaults;
        if (IsSeed)
        {
            // Throws if the points of these options have no solution.
            _search = Create();
        }
    }

    /// <summary>What the controller is doing; its traces name it in words.</summary>
    internal ControllerState State => _search?.State ?? ControllerState.Usual;

    /// <summary>The size around which the wave of sizes runs, in threads; zero before the first sample.</summary>
    public int BaseSize => _search?.BaseSize ?? 0;

    bool IWholeController.DecidesWhole => IsSeed;

    bool IWholeController.SeesPeaks => IsSeed;

    int ISizeVerifier.VerifiedSize => _search?.VerifiedSize ?? 0;

    /// <summary>The search, created when it is first used: most classes of a cold pool need none for their first second, and the first one of a process takes
    /// 10 ms to create.</summary>
    private ISizeSearch Search => _search ??= Create();

    private bool IsSeed => _options.Profile == ControllerProfile.SeedWave;

    /// <summary>Length of a sample while the controller searches for nothing.</summary>
    private TimeSpan IdleInterval => IsSeed ? _options.Seed.SamplePeriod : _options.MaxSampleInterval;

    /// <inheritdoc/>
    public SizeDecision Update(in PoolSample sample) => sample.IsPossible ? Search.Update(sample) : Refuse(sample);

    /// <inheritdoc/>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="target"/> is less than 1.</exception>
    public void Reinitialize(int target, DecisionReason reason)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(target, 1);
        Search.Reinitialize(target, reason);
    }

    /// <summary>All errors in options for which a controller is created later, when no caller could get an exception.</summary>
    internal static IEnumerable<OptionFailure> Failures(HillClimbingOptions? options)
    {
        OptionFailure[] failures = options?.Failures() ?? [];
        return failures.Length > 0 || options is not { Profile: ControllerProfile.SeedWave, Enabled: true } ? failures
            : PlateauStep.FailureOf(options.Seed.PlateauPoints) is { } unsolved ? OptionCheck.Within(nameof(options.Seed), [unsolved])
            : [];
    }

    private ISizeSearch Create() =>
        !_options.Enabled ? new DisabledSearch(IdleInterval) : IsSeed ? new SeedWaveSearch(_options.Seed) : new AdaptiveSearch(_options);

    void ISizeVerifier.Doubt() => _search?.Doubt();

    private SizeDecision Refuse(in PoolSample sample)
    {
        int target = Search.InForce > 0 ? Search.InForce : Math.Max(1, sample.Target);
        string state = _options.Enabled ? Search.State.ToString() : DisabledSearch.Name;
        var trace = new ControllerTrace { From = target, To = target, Reason = DecisionReason.InvalidSample, State = state };
        return new(target, IdleInterval, trace.Reason, trace) { IsTrial = BaseSize > 0 && target != BaseSize };
    }
}
