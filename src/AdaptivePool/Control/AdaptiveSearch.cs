namespace AdaptivePool.Control;

/// <summary>
/// Finds a size by making a wave of sizes and looking for the wave in the throughput, as the founding document does. A period is A B B A. Its first harmonics
/// give the elasticity between two sizes and, from the same samples, the noise. Every reading refines a belief about the whole curve. The belief says where
/// to try next, when to move, and when nothing more can be gained.
/// </summary>
/// <param name="options">The options, validated. The search starts from the size of its first sample.</param>
internal sealed partial class AdaptiveSearch(HillClimbingOptions options) : ISizeSearch
{
    // At this phase of the seed's wave a linear drift cancels. A longer period would only decide later.
    private const int Period = 4;

    // Samples at rest are this much longer, because the search only watches.
    private const double RestSampleFactor = 4;

    private readonly HillClimbingOptions _options = options;
    private readonly CurveBelief _belief = new();
    private readonly WorkloadAlarmRule _alarm = new();
    private WaveNoise _noise = WaveNoise.Unknown;
    private Settling _settling = Settling.Over;
    private double _rate;
    private int _base;

    // The size that the wave tries. It is the base itself while there is no wave and the next sample decides what to try; zero at rest.
    private int _probe;
    private Trust _trust;

    /// <inheritdoc/>
    public ControllerState State =>
        !IsSearching ? ControllerState.Optimized
        : LooksFlat ? ControllerState.Plateau
        : ControllerState.Usual;

    /// <inheritdoc/>
    public int BaseSize => _base;

    /// <inheritdoc/>
    public int InForce => IsSearching ? Shape.SizeAt(_samples.Count) : _base;

    /// <inheritdoc/>
    public int VerifiedSize => _trust == Trust.Verified ? _base : 0;

    // The search has rested since it began: only strict proof moves the base.
    private bool IsTrusted => _trust > Trust.Alarmed;

    private MoveProof Proof => _trust switch { Trust.None => MoveRule.Usual, Trust.Alarmed => MoveRule.AfterAlarm, _ => MoveRule.AtRest };

    // A probe that empties the queue still shows a lower bound of what that size can do. The present size with an empty queue shows nothing.
    private bool IsProbing => IsSearching && Shape.IsProbe(_samples.Count);

    // Also true before the first sample.
    private bool IsSearching => _probe > 0 || _base == 0;

    private WaveShape Shape => new(_base, _probe, Period);

    /// <inheritdoc/>
    public SizeDecision Update(in PoolSample sample)
    {
        FollowRate(sample.Completions / sample.Elapsed.TotalSeconds);
        DecisionReason adopted = Adopt(sample);
        if (sample.Queued == 0 && !IsProbing && !IsHeld(sample))
        {
            // The first sample after work returns is not of use either. A queue that is empty now and then must not end a rest.
            LeaveNextOut();
            if (IsSearching)
            {
                BeginWave(_base);
            }

            return Decide(sample, _base, DecisionReason.DemandLimited);
        }

        if (adopted != DecisionReason.Hold)
        {
            return Decide(sample, _base, adopted);
        }

        if (_settling.IsActive)
        {
            return OnSettlingSample(sample);
        }

        // Samples of a wave count, too: the level is known sooner, and a change is judged by twice the samples (ADR 112).
        if (sample.Target == _base && _alarm.Observe(sample) != WorkloadAlarmRule.Signals.None)
        {
            return OnChange(sample);
        }

        return IsSearching ? OnWaveSample(sample) : OnRestSample(sample);
    }

    /// <inheritdoc/>
    public void Reinitialize(int target, DecisionReason reason)
    {
        _belief.Reset();
        _alarm.Reset(keepNoise: false);
        _rested = 0;
        _trust = VerifiedSize == target ? Trust.Verified : Trust.None;
        _trace.End();

        // Where the size has not changed there is nothing to settle.
        _settling = InForce == 0 || InForce == target ? Settling.Over : Settling.After(SampleLengthRule.SettleCompletions(InForce, target, _options));
        _base = target;
        BeginWave(target);
    }

    /// <inheritdoc/>
    public void Doubt() => _trust = Trust.None;

    private DecisionReason Adopt(in PoolSample sample)
    {
        int allowed = Math.Clamp(sample.Target, sample.MinTarget, sample.MaxTarget);
        if (sample.Target != InForce)
        {
            DecisionReason reason = _base == 0 ? DecisionReason.Initial : DecisionReason.Reinitialized;
            Reinitialize(allowed, reason);
            return reason;
        }

        int bounded = Math.Clamp(_base, sample.MinTarget, sample.MaxTarget);
        if (bounded != _base || allowed != sample.Target)
        {
            // A rest at another size does not count.
            _rested = bounded != _base ? 0 : _rested;
            _base = bounded;
            BeginWave(_base);
            return DecisionReason.ManualResize;
        }

        // The present size is still allowed, but the probed one may not be. Then another wave starts from the beginning.
        if (IsSearching && _samples.Count < Shape.AfterProbe && (_probe < sample.MinTarget || _probe > sample.MaxTarget))
        {
            BeginWave(_base);
        }

        return DecisionReason.Hold;
    }

    private void LeaveNextOut() => _settling = Settling.After(SampleLengthRule.Completions(_base, _options));

    private void FollowRate(double throughput)
    {
        if (throughput > 0)
        {
            _rate = _rate > 0 ? (_rate + throughput) / 2 : throughput;
        }
        else
        {
            // No item completed: the next sample must be longer.
            _rate /= 2;
        }
    }

    // After few readings a rest comes early, and the next one may lead elsewhere. A size is verified when the question after a first rest has left it in
    // place. The values are in rising order.
    private enum Trust
    {
        None,

        /// <summary>
        /// The search had rested, and then there was an alarm, maybe a false one. This state ends when another size is proven to be better, when the search
        /// rests again, or with a second alarm.
        /// </summary>
        Alarmed,
        Rested,

        /// <summary>The search rests at the present base because a question was answered, and not because no other size was allowed.</summary>
        Answered,
        Verified,
    }
}
