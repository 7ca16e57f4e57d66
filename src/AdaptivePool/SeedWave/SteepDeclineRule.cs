namespace AdaptivePool.SeedWave;

/// <summary>Says when throughput has fallen further than a change of size can explain (seed 000, cases of <c>reinit()</c>).</summary>
internal static class SteepDeclineRule
{
    /// <summary>True when the decline is unnaturally steep.</summary>
    /// <param name="throughput">Completions per second of the sample.</param>
    /// <param name="reference">Completions per second of the sample it is compared with; not-a-number when there is none.</param>
    /// <param name="decline">Share of the reference that must be lost.</param>
    public static bool IsSteep(double throughput, double reference, double decline)
        => throughput < (1 - decline) * reference;
}
