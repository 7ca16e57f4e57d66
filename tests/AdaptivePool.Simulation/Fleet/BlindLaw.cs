using AdaptivePool.Admission;

namespace AdaptivePool.Simulation.Fleet;

/// <summary>A gate that goes by the time that transactions are inside.</summary>
/// <param name="start">The limit to begin with.</param>
internal sealed class BlindLaw(int start) : IFleetLaw
{
    private readonly BlindPolicy _policy = new(start, lowest: 1, highest: 1_024);

    public int Start => start;

    public (int Limit, TimeSpan LookAgain) Look(in LimitObservation now, Func<string, IReadOnlyList<string>>? exchange)
    {
        LimitDecision decision = _policy.Observe(now);
        return (decision.Limit, decision.LookAgain);
    }
}
