namespace AdaptivePool.Sizing;

/// <summary>
/// Decides how many root items of classes with a weight may run at once: one for each core, so that the pool and not the system chooses the next item, and
/// one for each item that waits and needs no core.
/// </summary>
internal static class SharedSlotRule
{
    /// <summary>Idle share of the allowed cores at which shares mean nothing. Waits that are not visible are the likely reason.</summary>
    public const double IdleShare = 0.125;

    /// <summary>The slots until the next look.</summary>
    /// <param name="slots">Slots now.</param>
    /// <param name="active">Slots that are taken.</param>
    /// <param name="isPressed">Whether work waits for a slot.</param>
    /// <param name="waiting">How many of the items that have a slot are seen to wait; a mean may be a fraction.</param>
    /// <param name="idleShare">Idle share of the allowed cores; NaN when not known.</param>
    /// <param name="cores">Cores the process may use.</param>
    /// <param name="most">Most slots.</param>
    /// <param name="mustBegin">Whether one more item must begin, whatever runs; see <see cref="SharedStall"/>.</param>
    public static int Next(int slots, int active, bool isPressed, double waiting, double idleShare, int cores, int most, bool mustBegin = false)
    {
        // Rounded: a worker that the system preempts for a moment looks like one that waits for a part of the time. With one slot too many the system would
        // choose.
        int usual = cores + (int)Math.Round(Math.Clamp(waiting, 0, most), MidpointRounding.AwayFromZero);
        if (idleShare >= IdleShare)
        {
            // There is a wait that is not visible. Further slots stay while they are used and cores are idle.
            int wanted = isPressed && active >= slots ? 2 * slots : Math.Min(slots, active);
            usual = Math.Max(usual, wanted);
        }

        usual = mustBegin ? Math.Max(usual, active + 1) : usual;
        return Math.Clamp(usual, 1, Math.Max(1, most));
    }

    /// <summary>
    /// The least limit of a class with a weight. The slots that all such classes have together bound it; a lower limit of its own would take part of its
    /// share.
    /// </summary>
    /// <param name="cores">Cores the process may use.</param>
    /// <param name="mostThreads">Most threads of the pool.</param>
    public static int LeastLimit(int cores, int mostThreads) => Math.Min(cores, mostThreads);
}
