using AdaptivePool.Admission;
using AdaptivePool.Control;

namespace AdaptivePool.Simulation.Fleet;

/// <summary>An adaptive gate that knows of no others.</summary>
/// <param name="start">The limit to begin with.</param>
internal sealed class LonelyLaw(int start) : IFleetLaw
{
    private readonly TransactionLimitPolicy _policy =
        new(new HillClimbingController(TransactionLimitPolicy.DefaultOptions), start, lowest: 1, highest: 1_024);

    public int Start => start;

    public (int Limit, TimeSpan LookAgain) Look(in LimitObservation now, Func<string, IReadOnlyList<string>>? exchange)
    {
        LimitDecision decision = _policy.Observe(now);
        return (decision.Limit, decision.LookAgain);
    }
}
