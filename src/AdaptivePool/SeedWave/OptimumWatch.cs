namespace AdaptivePool.SeedWave;

/// <summary>
/// Detects when the best size is no longer the best (seed 000, "Entering and exiting the OPTIMIZED mode"). Throughput, number of connections and latency are
/// fixed at entry, and a value that deviates from its fixed one by more than a share of it ends the validity.
/// </summary>
/// <param name="band">Deviation allowed, as a share of the fixed value; over 0.</param>
/// <param name="samplesOutOfBand">Samples in a row outside the band that count as a change; one or more.</param>
internal sealed class OptimumWatch(double band, int samplesOutOfBand)
{
    private double _throughput;
    private int? _connections;
    private TimeSpan _latency;
    private int _misses;

    /// <summary>True once the values are fixed.</summary>
    public bool IsFixed { get; private set; }

    /// <summary>Fixes the values.</summary>
    /// <param name="throughput">Completions per second.</param>
    /// <param name="connections">Clients; <see langword="null"/> when not known, and then not watched.</param>
    /// <param name="latency">Mean latency; zero when not measured, and then not watched.</param>
    public void Fix(double throughput, int? connections, TimeSpan latency)
    {
        (_throughput, _connections, _latency) = (throughput, connections, latency);
        _misses = 0;
        IsFixed = true;
    }

    /// <summary>Looks at one sample. Returns true once enough samples in a row were outside the band.</summary>
    /// <param name="throughput">Completions per second.</param>
    /// <param name="connections">Clients; <see langword="null"/> when not known.</param>
    /// <param name="latency">Mean latency; zero when not measured.</param>
    public bool IsLost(double throughput, int? connections, TimeSpan latency)
    {
        bool isMeasured = latency > TimeSpan.Zero && _latency > TimeSpan.Zero;
        bool isOutside = IsOutside(throughput, _throughput)
            || (connections is int now && _connections is int then && IsOutside(now, then))
            || (isMeasured && IsOutside(latency.TotalSeconds, _latency.TotalSeconds));
        _misses = isOutside ? _misses + 1 : 0;
        return _misses >= samplesOutOfBand;
    }

    /// <summary>Forgets the values.</summary>
    public void Clear() => IsFixed = false;

    private bool IsOutside(double value, double reference) => Math.Abs(value - reference) > band * reference;
}
