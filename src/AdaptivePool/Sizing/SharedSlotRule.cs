namespace AdaptivePool.Sizing;

/// <summary>
/// How many root items of classes with a weight may run at once: as many as there are cores, so that the next to start is the pool's choice and not the
/// system's, beside those that wait and need no core.
/// </summary>
internal static class SharedSlotRule
{
    /// <summary>Idle share of the allowed cores from which shares mean nothing, and waits that nobody sees are the likely reason.</summary>
    public const double IdleShare = 0.125;

    /// <summary>The slots until the next look.</summary>
    /// <param name="slots">Slots now.</param>
    /// <param name="active">Slots that are taken.</param>
    /// <param name="isPressed">Whether work waits for a slot.</param>
    /// <param name="waiting">Of those that have one, how many are seen to wait; a mean may be a fraction.</param>
    /// <param name="idleShare">Idle share of the allowed cores; NaN when not known.</param>
    /// <param name="cores">Cores the process may use.</param>
    /// <param name="most">Most slots.</param>
    /// <param name="mustBegin">Whether one more must begin, whatever runs; see <see cref="SharedStall"/>.</param>
    public static int Next(int slots, int active, bool isPressed, double waiting, double idleShare, int cores, int most, bool mustBegin = false)
    {
        // Rounded: a worker that is put aside for a moment looks like one that waits for a part of the time, and one slot too many is the system's choice.
        int usual = cores + (int)Math.Round(Math.Clamp(waiting, 0, most), MidpointRounding.AwayFromZero);
        if (idleShare >= IdleShare)
        {
            // There is a wait that cannot be seen. Once more slots are found to be of use they stay while they are used and cores are idle.
            int wanted = isPressed && active >= slots ? 2 * slots : Math.Min(slots, active);
            usual = Math.Max(usual, wanted);
        }

        usual = mustBegin ? Math.Max(usual, active + 1) : usual;
        return Math.Clamp(usual, 1, Math.Max(1, most));
    }

    /// <summary>
    /// The least limit of a class with a weight: the slots that all of them have together bound it, and a lower limit of its own would take part of its share.
    /// </summary>
    /// <param name="cores">Cores the process may use.</param>
    /// <param name="mostThreads">Most threads of the pool.</param>
    public static int LeastLimit(int cores, int mostThreads) => Math.Min(cores, mostThreads);
}
