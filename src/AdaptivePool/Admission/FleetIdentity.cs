namespace AdaptivePool.Admission;

/// <summary>
/// Draws the identity of a gate among the gates of other instances. This is the only place of the core that reads a wall clock, because instances share no
/// other clock. The clock only makes the eldest gate come first, so that a new gate seldom takes over the search. It is read once, when the gate begins. A
/// clock that is wrong, or is set later, costs no more than that.
/// </summary>
internal static class FleetIdentity
{
    public static string Create() => FleetReport.CreateId(TimeProvider.System.GetUtcNow().ToUnixTimeSeconds(), (uint)Guid.NewGuid().GetHashCode());
}
