using AdaptivePool.Admission;

namespace AdaptivePool.Hosting.Gates;

/// <summary>A fleet in which a gate has the name that the user gave it, whatever it is called in this process.</summary>
/// <param name="fleet">The fleet.</param>
/// <param name="name">The name that the user gave.</param>
internal sealed class NamedFleet(IGateFleet fleet, string name) : IGateFleet
{
    public IGateFleetMember Join(string gate) => fleet.Join(name);
}
