namespace AdaptivePool.Guests;

/// <summary>The reasons as snapshots and logs show them.</summary>
internal static class TrustChangeReason
{
    /// <summary>Why trust was lost.</summary>
    public static string Reason(this TrustChange change) => change switch
    {
        TrustChange.Crowds => "again and again, as many requests waited at once as there are cores",
        TrustChange.Slow => "requests that wait run for longer on average, or go on after an await",
        TrustChange.Others => "requests that wait would hold up those of other classes",
        TrustChange.Idle => "many requests wait at once, and the machine has idle cores",
        TrustChange.Bounded => "requests wait, and the pool's threads are bounded",
        TrustChange.Settings => "the class has a bounded queue, a weight or a blocking action",
        _ => "a request computed or slept for longer than a few milliseconds",
    };
}
