namespace AdaptivePool.Admission;

/// <summary>
/// Draws the identity of a gate among those of other instances. The one place of the core that reads a wall clock: instances share no other, and it only makes
/// the eldest come first, so that a new gate seldom takes the search over. Read once, when the gate begins; a clock that is wrong, or set later, costs no more
/// than that.
/// </summary>
internal static class FleetIdentity
{
    public static string Create() => FleetReport.CreateId(TimeProvider.System.GetUtcNow().ToUnixTimeSeconds(), (uint)Guid.NewGuid().GetHashCode());
}
