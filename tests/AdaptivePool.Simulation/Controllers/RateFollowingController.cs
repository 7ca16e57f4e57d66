using AdaptivePool.Control;

namespace AdaptivePool.Simulation.Controllers;

/// <summary>
/// The pool of the fifth founding document, for comparison: as many threads as requests came in the last second, if that is more than ever before. It never
/// decides fewer: threads die by themselves after 500 ms without work, which is the pool's <c>IdleTimeout</c>.
/// </summary>
/// <remarks>
/// F. Bahadur and others, "The Double Edge Sword Based Distributed Executor Service" (2021). By Little's law a rate of 1,000 a second with 100 ms each
/// needs 100 threads, not 1,000; and with steady arrivals the idle rule would leave about that many. The document's figures show 1,000, and pools that follow
/// the rate down as well: <paramref name="followsDown"/>.
/// </remarks>
/// <param name="followsDown">Whether fewer are decided when fewer requests come, as the figures show.</param>
internal sealed class RateFollowingController(bool followsDown = false) : IPoolController
{
    private static readonly TimeSpan s_interval = TimeSpan.FromSeconds(1);
    private int _highest;

    /// <inheritdoc/>
    public SizeDecision Update(in PoolSample sample)
    {
        double seconds = sample.Elapsed.TotalSeconds;
        int rate = seconds > 0 ? (int)Math.Min(int.MaxValue, Math.Round(sample.Arrivals / seconds, MidpointRounding.AwayFromZero)) : 0;
        int wanted = sample.Target;
        if (rate > _highest || followsDown)
        {
            (_highest, wanted) = (rate, rate);
        }

        int target = Math.Clamp(wanted, sample.MinTarget, Math.Max(sample.MinTarget, sample.MaxTarget));
        DecisionReason reason = target > sample.Target ? DecisionReason.JumpUp : target < sample.Target ? DecisionReason.JumpDown : DecisionReason.Hold;
        return new(target, s_interval, reason, new ControllerTrace
        {
            From = sample.Target,
            To = target,
            Reason = reason,
            State = "RateFollowing",
            ThroughputPerSecond = seconds > 0 ? sample.Completions / seconds : 0,
        });
    }

    /// <inheritdoc/>
    public void Reinitialize(int target, DecisionReason reason) => _highest = target;
}
