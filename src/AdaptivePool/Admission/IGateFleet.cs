namespace AdaptivePool.Admission;

/// <summary>
/// A place where the adaptive gates of several instances before one database see each other. It uses something that the database itself shows, so no
/// coordinator is needed. See <see cref="TransactionGateOptions.Fleet"/>.
/// </summary>
public interface IGateFleet
{
    /// <summary>Adds a gate to the gates of its name. The gate calls it once, when it is created. It must neither wait nor throw.</summary>
    /// <param name="gate">The name of the gate. Only gates of the same name see each other.</param>
    /// <returns>The place of the gate. The gate disposes it when the gate is disposed.</returns>
    IGateFleetMember Join(string gate);
}
