namespace AdaptivePool.SeedWave;

/// <summary>
/// Says when the best size is one no longer (seed 000, "Entering and exiting the OPTIMIZED mode"): throughput, number of connections and latency are fixed at
/// entry, and a value that deviates from its own by more than a share of it ends the validity.
/// </summary>
internal sealed class OptimumWatch
{
    private readonly double _band;
    private readonly int _samplesOutOfBand;
    private double _throughput;
    private int? _connections;
    private TimeSpan _latency;
    private int _misses;

    /// <summary>Creates a watch that has nothing fixed.</summary>
    /// <param name="band">Deviation allowed, as a share of the fixed value; over 0.</param>
    /// <param name="samplesOutOfBand">Samples in a row outside the band that count as a change; one or more.</param>
    public OptimumWatch(double band, int samplesOutOfBand)
    {
        _band = band;
        _samplesOutOfBand = samplesOutOfBand;
    }

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

    /// <summary>Looks at one sample; says what has changed once enough samples in a row were outside the band.</summary>
    /// <param name="throughput">Completions per second.</param>
    /// <param name="connections">Clients; <see langword="null"/> when not known.</param>
    /// <param name="latency">Mean latency; zero when not measured.</param>
    public OptimumDeviation Check(double throughput, int? connections, TimeSpan latency)
    {
        OptimumDeviation deviation = Deviation(throughput, connections, latency);
        _misses = deviation == OptimumDeviation.None ? 0 : _misses + 1;
        return _misses >= _samplesOutOfBand ? deviation : OptimumDeviation.None;
    }

    /// <summary>Forgets the values.</summary>
    public void Clear()
    {
        IsFixed = false;
        _misses = 0;
    }

    private OptimumDeviation Deviation(double throughput, int? connections, TimeSpan latency)
    {
        if (IsOutside(throughput, _throughput))
        {
            return OptimumDeviation.Throughput;
        }

        if (connections is int now && _connections is int then && IsOutside(now, then))
        {
            return OptimumDeviation.Connections;
        }

        bool isMeasured = latency > TimeSpan.Zero && _latency > TimeSpan.Zero;
        return isMeasured && IsOutside(latency.TotalSeconds, _latency.TotalSeconds) ? OptimumDeviation.Latency : OptimumDeviation.None;
    }

    private bool IsOutside(double value, double reference) => Math.Abs(value - reference) > _band * reference;
}
