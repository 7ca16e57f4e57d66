namespace AdaptivePool.Control;

/// <summary>
/// Gets samples of a pool and returns sizes. Implementations are pure: they use no thread, clock, lock, log or ambient random source. So the same samples give
/// the same decisions on virtual time and on a real pool.
/// </summary>
public interface IPoolController
{
    /// <summary>
    /// Gets the sample of the interval that has just ended and returns the next size. While both bounds of the sample are the same size, the controller must
    /// not try another size and only observes. If it then returns <see cref="DecisionReason.WorkloadChange"/>, the class measures its size again from the
    /// start.
    /// </summary>
    /// <remarks>
    /// Return at once: the sizes of all classes, and the end of the pool, wait for this call. A controller that throws or returns a decision without a trace is
    /// not called again. In place of a size outside of the bounds of the sample, the pool takes the nearest size inside.
    /// </remarks>
    /// <param name="sample">The measurements of the interval.</param>
    SizeDecision Update(in PoolSample sample);

    /// <summary>
    /// Discards what the controller has learned and starts again from a size that was decided elsewhere (by a user, a verified ramp or an alarm).
    /// </summary>
    /// <param name="target">The current size, in threads; one or more.</param>
    /// <param name="reason">The reason for the change.</param>
    void Reinitialize(int target, DecisionReason reason);
}
