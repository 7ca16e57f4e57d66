namespace AdaptivePool.Control;

/// <summary>
/// Decides a size from samples. Implementations are pure: no thread, clock, lock, log or ambient random source, so that the same samples give the same
/// decisions on virtual time and on a real pool.
/// </summary>
public interface IPoolController
{
    /// <summary>
    /// Takes the sample of the interval that has just ended and says what to do next. While both bounds of the sample are one size nothing may be tried, and
    /// the controller only watches: where it answers <see cref="DecisionReason.WorkloadChange"/> then, a class measures its size from the start.
    /// </summary>
    /// <remarks>
    /// Return at once: the sizes of all classes, and the end of the pool, wait for it. One that throws, or gives what is no decision, is not asked again.
    /// </remarks>
    /// <param name="sample">What was measured.</param>
    SizeDecision Update(in PoolSample sample);

    /// <summary>Forgets what was learned and starts again from a size that was decided elsewhere (by a user, a verified ramp, an alarm).</summary>
    /// <param name="target">The size now in force, in threads; one or more.</param>
    /// <param name="reason">Why it changed.</param>
    void Reinitialize(int target, DecisionReason reason);
}
