namespace AdaptivePool.Sizing;

/// <summary>Bounds a limit to 1.25 times the threads in use: the next burst would otherwise meet a size that no measurement has verified.</summary>
internal static class UsedSizeRule
{
    // A limit is at most this many times the threads in use, and a probe at most this many times the verified size.
    private const double UsedFactor = 1.25;

    /// <summary>Highest limit for a number of threads in use. It is at least one more than that number, so that small sizes can grow.</summary>
    public static int Cap(double used)
    {
        double whole = Math.Max(1, Math.Round(used));
        return (int)Math.Min(int.MaxValue, Math.Max(whole + 1, Math.Floor(whole * UsedFactor)));
    }

    /// <summary>Highest size that is worth a trial: the number of items that run or wait.</summary>
    public static int DemandCap(in ClassObservation c) => Math.Max(1, c.Demand);
}
