using AdaptivePool.Admission;

namespace AdaptivePool.Simulation.Fleet;

/// <summary>A limit set by hand.</summary>
/// <param name="limit">The limit; 0 for none.</param>
internal sealed class FixedLaw(int limit) : IFleetLaw
{
    public int Start => limit;

    public (int Limit, TimeSpan LookAgain) Look(in LimitObservation now, Func<string, IReadOnlyList<string>>? exchange) => (limit, TimeSpan.FromSeconds(1));
}
