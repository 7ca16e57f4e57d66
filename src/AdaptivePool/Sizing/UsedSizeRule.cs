namespace AdaptivePool.Sizing;

/// <summary>Bounds a limit to 1.25 times the threads in use: the next burst would otherwise meet a size that no measurement has verified.</summary>
internal static class UsedSizeRule
{
    // A limit is at most this many times the threads in use, and a probe at most this many times the verified size.
    private const double UsedFactor = 1.25;

    // A queue is short up to one item for so many that run, and up to one for each core.
    private const int ShortQueue = 8;

    /// <summary>Highest limit for a number of threads in use. It is at least one more than that number, so that small sizes can grow.</summary>
    public static int Cap(double used)
    {
        double whole = Math.Max(1, Math.Round(used));
        return (int)Math.Min(int.MaxValue, Math.Max(whole + 1, Math.Floor(whole * UsedFactor)));
    }

    /// <summary>
    /// Highest size that is worth a trial: the number of items that run or wait. A short queue that the threads in force cannot take does not tell how many
    /// items would come if it ran: a loop of <see cref="Parallel"/> queues its next task only when the one before has begun. There the highest size is at least
    /// the largest step from the items that run.
    /// </summary>
    public static int DemandCap(in ClassObservation c)
    {
        bool isShort = c.Queued > 0 && c.Demand > c.Limit && c.Queued <= Math.Max(c.Cores, c.Active / ShortQueue);
        return Math.Max(c.Demand, isShort ? (int)Math.Min(int.MaxValue, ClassSizeSettings.MaxStep * c.Active) : 1);
    }
}
