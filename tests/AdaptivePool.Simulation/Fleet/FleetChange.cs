namespace AdaptivePool.Simulation.Fleet;

/// <summary>Something that happens to an instance.</summary>
/// <param name="At">Seconds from the beginning.</param>
/// <param name="Instance">Which one.</param>
/// <param name="Clients">How many clients it has from then on; zero: its clients leave.</param>
/// <param name="Kind">What happens beside that.</param>
public sealed record FleetChange(double At, int Instance, int Clients, FleetChangeKind Kind = FleetChangeKind.Clients);
