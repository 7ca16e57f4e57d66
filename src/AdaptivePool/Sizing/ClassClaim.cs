namespace AdaptivePool.Sizing;

/// <summary>What one class wants of the pool's threads.</summary>
/// <param name="Wanted">Limit that its policy decided.</param>
/// <param name="Demand">Items that run or wait: what a class can use now comes before what it may keep for later.</param>
/// <param name="IsHog">It burns CPU.</param>
/// <param name="IsFixed">A user has set the size. It is not shared, and the other classes share what this class leaves (ADR 102).</param>
internal readonly record struct ClassClaim(int Wanted, int Demand, bool IsHog = false, bool IsFixed = false)
{
    /// <summary>Threads that it can use now.</summary>
    public int Used => Math.Min(Wanted, Demand);
}
