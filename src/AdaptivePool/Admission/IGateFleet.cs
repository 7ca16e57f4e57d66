namespace AdaptivePool.Admission;

/// <summary>
/// Where adaptive gates of many instances before one database see each other: something that the database itself shows, so that no coordinator is needed. See
/// <see cref="TransactionGateOptions.Fleet"/>.
/// </summary>
public interface IGateFleet
{
    /// <summary>Takes a place among the gates of a name. Called once for each gate, when it is created; must neither wait nor throw.</summary>
    /// <param name="gate">Name of the gate. Only gates of the same name see each other.</param>
    /// <returns>The place; the gate disposes it when it is disposed.</returns>
    IGateFleetMember Join(string gate);
}
