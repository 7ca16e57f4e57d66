namespace AdaptivePool.Sizing;

/// <summary>No limit stands beyond 1.25 times what is used: the next burst would meet a size that nobody has verified.</summary>
internal static class UsedSizeRule
{
    // No limit stands beyond this many times what is used, and no probe beyond this many times the verified size.
    private const double UsedFactor = 1.25;

    /// <summary>Highest limit for a number of threads in use; at least one more than is used, so that small sizes can grow.</summary>
    public static int Cap(double used)
    {
        double whole = Math.Max(1, Math.Round(used));
        return (int)Math.Min(int.MaxValue, Math.Max(whole + 1, Math.Floor(whole * UsedFactor)));
    }

    /// <summary>Highest size worth trying: what runs or waits.</summary>
    public static int DemandCap(in ClassObservation c) => Math.Max(1, c.Demand);
}
