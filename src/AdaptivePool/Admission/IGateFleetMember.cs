namespace AdaptivePool.Admission;

/// <summary>
/// The place of one gate in an <see cref="IGateFleet"/>. One thread at a time uses it. Disposing it removes the gate's line, so that the others no longer see
/// it. The gate disposes it once its thread has ended, or if its thread never had to start. The gate ignores exceptions from that: a line that stays no longer
/// changes.
/// </summary>
public interface IGateFleetMember : IDisposable
{
    /// <summary>
    /// Publishes a line for the other gates, in place of the previous one, and reads their lines. One thread of the gate calls it up to twenty times a second.
    /// It may wait for the database; the limit does not change in the meantime. If it throws, the gate sees no other gates, and calls it again later.
    /// </summary>
    /// <param name="line">A line of 49 characters: digits, lower-case letters and a colon.</param>
    /// <returns>
    /// The lines of the gates that exist, with or without the gate's own line. A line that its gate could not remove, because its machine is gone, does no
    /// harm: the gate ignores a line that has not changed for three seconds. It also ignores lines in other formats.
    /// </returns>
    IReadOnlyList<string> Exchange(string line);
}
