namespace AdaptivePool.Balancing.Overload;

/// <summary>Mean service time of recent requests: about the last twenty, or the last two seconds where there are fewer. Pure except for what it
/// remembers.</summary>
internal sealed class ServiceTimeMean
{
    /// <summary>Number of requests in the mean: few enough to follow a change, and enough not to follow a single request.</summary>
    private const double Requests = 20;

    /// <summary>A backend that gets hardly any requests, because it was slow, must not continue to report itself as slow.</summary>
    private static readonly TimeSpan s_time = TimeSpan.FromSeconds(2);

    /// <summary>Variance of the mean, relative to that of a single response.</summary>
    private double _variance;
    private TimeSpan _at;
    private long _completed;
    private TimeSpan _served;

    /// <summary>The mean; <see langword="null"/> before a request has ended.</summary>
    public TimeSpan? Value { get; private set; }

    /// <summary>The number of responses with equal weights that would give the same certainty; 0 before the first. With many responses it is 39, with one
    /// every few seconds about 1.</summary>
    public double Answers => _variance > 0 ? 1 / _variance : 0;

    /// <summary>Takes a look.</summary>
    /// <param name="now">The present time.</param>
    /// <param name="completed">Requests that have ended since the start.</param>
    /// <param name="served">Their time from start to end. It may overflow 64 bits, as that of 100,000 streams does within months.</param>
    public void Observe(TimeSpan now, long completed, TimeSpan served)
    {
        long count = completed - _completed;
        if (count <= 0)
        {
            return;
        }

        TimeSpan mean = TimeSpan.FromTicks(unchecked(served.Ticks - _served.Ticks)) / count;
        double weight = Value is null ? 1 : 1 - Math.Exp(-(count / Requests) - Math.Max(0, (now - _at) / s_time));
        TimeSpan before = Value ?? mean;
        Value = before + ((mean - before) * weight);
        _variance = ((1 - weight) * (1 - weight) * _variance) + (weight * weight / count);
        (_at, _completed, _served) = (now, completed, served);
    }
}
