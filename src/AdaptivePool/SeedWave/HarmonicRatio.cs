namespace AdaptivePool.SeedWave;

/// <summary>Which way round the ratio of the two harmonics is taken (seed 000 writes c1/c2 without saying which wave is which in its code).</summary>
public enum HarmonicRatio
{
    /// <summary>Throughput over size, each divided by its mean: per cent of throughput for one per cent of threads, zero where throughput does not respond.</summary>
    ThroughputOverSize,

    /// <summary>Size over throughput, as the formula is printed: its sign is the same, but it is greatest where throughput responds least.</summary>
    SizeOverThroughput,
}
