namespace AdaptivePool.Sizing;

/// <summary>
/// How much the throughput of a class differs by chance from one moment to the next while one size is in force. Who compares two sizes needs it: a difference
/// of less than that says nothing, whichever way it points.
/// </summary>
internal sealed class RateNoise
{
    private const double WindowSeconds = 0.1;
    private const double LongestWindowSeconds = 1;
    private const int WindowItems = 10;

    // Chance lasts: (1 + r) / (1 - r) of a correlation r of a third from window to window.
    private const double Lasting = 2;
    private const int FewestWindows = 3;
    private const int Memory = 50;

    private TimeSpan _from;
    private long _completedFrom;
    private int _limit;
    private double _previous = double.NaN;
    private double _varianceSeconds;
    private int _windows;

    /// <summary>Takes one tick.</summary>
    public void Observe(in ClassObservation c)
    {
        bool isTorn = c.Limit != _limit || !c.Warm || c.Queued == 0 || c.IsAfterPause;
        _limit = c.Limit;
        if (isTorn)
        {
            _previous = double.NaN;
            (_from, _completedFrom) = (c.Now, c.Completed);
            return;
        }

        double seconds = (c.Now - _from).TotalSeconds;
        long items = c.Completed - _completedFrom;
        if (seconds < WindowSeconds || (items < WindowItems && seconds < LongestWindowSeconds))
        {
            return;
        }

        double rate = Math.Log(Math.Max(items, 0.5) / seconds);
        if (!double.IsNaN(_previous))
        {
            // Of successive windows, so that a drift does not count.
            double difference = rate - _previous;
            _windows = Math.Min(_windows + 1, Memory);
            _varianceSeconds += ((difference * difference / 2 * seconds) - _varianceSeconds) / _windows;
        }

        _previous = rate;
        (_from, _completedFrom) = (c.Now, c.Completed);
    }

    /// <summary>Variance of the logarithm of a rate that is counted for so long; 0 while nothing is known.</summary>
    public double Variance(double seconds) => _windows < FewestWindows ? 0 : Lasting * _varianceSeconds / Math.Max(seconds, WindowSeconds);

    /// <summary>How long to count for a rate whose logarithm has this standard deviation, in seconds.</summary>
    public double SecondsFor(double deviation) => Variance(1) / (deviation * deviation);
}
