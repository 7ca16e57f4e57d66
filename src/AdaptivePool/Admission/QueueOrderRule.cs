namespace AdaptivePool.Admission;

/// <summary>
/// Whose turn it is among the priorities: the highest, but one that has waited for the kick-up time counts as high, and among those the oldest goes first (two
/// lanes and a timer, as MariaDB's pool has them).
/// </summary>
internal static class QueueOrderRule
{
    /// <summary>Chooses a lane and its end.</summary>
    /// <param name="waits">How long the oldest of each priority has waited, from low to high; <see langword="null"/> where nobody waits.</param>
    /// <param name="kickUpAfter">Wait after which a lower priority counts as high.</param>
    /// <param name="newestFirst">Whether the newest of a lane goes first. The kicked-up ones have waited too long for that: among them it is the
    /// oldest.</param>
    /// <returns>The lane, or -1 when nobody waits; whether its newest goes first; whether it was kicked up.</returns>
    public static (int Lane, bool Newest, bool KickedUp) Choose(ReadOnlySpan<TimeSpan?> waits, TimeSpan kickUpAfter, bool newestFirst)
    {
        int highest = waits.Length - 1;
        while (highest >= 0 && waits[highest] is null)
        {
            highest--;
        }

        int chosen = highest;
        for (int lane = 0; lane < highest; lane++)
        {
            // Whoever came before the highest priority's oldest goes first only by being kicked up; so does one that came later but is the older of two kicked
            // up.
            if (waits[lane] is { } wait && wait >= kickUpAfter && wait > waits[chosen])
            {
                chosen = lane;
            }
        }

        bool kickedUp = chosen != highest;
        return (chosen, newestFirst && !kickedUp, kickedUp);
    }
}
