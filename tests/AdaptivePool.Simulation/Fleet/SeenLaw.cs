using AdaptivePool.Admission;
using AdaptivePool.Control;

namespace AdaptivePool.Simulation.Fleet;

/// <summary>An adaptive gate that sees the others.</summary>
/// <param name="index">Which one; the first is the eldest.</param>
/// <param name="start">The limit to begin with.</param>
internal sealed class SeenLaw(int index, int start) : IFleetLaw
{
    private readonly FleetLimitPolicy _policy = new(
        FleetReport.CreateId(index, drawn: 0), new HillClimbingController(FleetLimitPolicy.DefaultOptions), start, lowest: 1,
            highest: 1_024);

    public int Start => start;

    /// <summary>What it knows.</summary>
    public GateFleetSnapshot Fleet => _policy.Fleet;

    public (int Limit, TimeSpan LookAgain) Look(in LimitObservation now, Func<string, IReadOnlyList<string>>? exchange)
    {
        string line = _policy.Report(now);
        LimitDecision decision = exchange is null ? _policy.Wait(now, "blind") : _policy.Observe(now, exchange(line));
        return (decision.Limit, decision.LookAgain);
    }
}
