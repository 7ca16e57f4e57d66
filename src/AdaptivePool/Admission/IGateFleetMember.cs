namespace AdaptivePool.Admission;

/// <summary>
/// The place of one gate in an <see cref="IGateFleet"/>. Used by one thread at a time. Disposing it takes its line away from the others; the gate does so once
/// its thread has ended, or never had to begin. What that throws is left alone: a line that stays stands still.
/// </summary>
public interface IGateFleetMember : IDisposable
{
    /// <summary>
    /// Shows the others a line, in place of the one before, and reads theirs. Called by one thread of the gate, some ten times a second; it may wait for the
    /// database, and the limit stays meanwhile. What it throws means that nobody is seen; the gate calls again.
    /// </summary>
    /// <param name="line">49 characters: digits, lower-case letters and a colon.</param>
    /// <returns>
    /// The lines of the gates that are there, its own among them or not. A line that its gate could not take away, because its machine is gone, does no harm:
    /// one that has not changed for three seconds is left out. Lines of other forms are left out too.
    /// </returns>
    IReadOnlyList<string> Exchange(string line);
}
