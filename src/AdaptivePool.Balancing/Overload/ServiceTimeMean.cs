namespace AdaptivePool.Balancing.Overload;

/// <summary>Mean service time of recent requests: about the last twenty, or the last two seconds where there are fewer. Pure but for what it
/// remembers.</summary>
internal sealed class ServiceTimeMean
{
    /// <summary>Requests that make the mean: few enough to follow a change, enough not to follow one request.</summary>
    private const double Requests = 20;

    /// <summary>A backend that is hardly used any more, because it was slow, must not stay slow in its own eyes.</summary>
    private static readonly TimeSpan s_time = TimeSpan.FromSeconds(2);

    /// <summary>Variance of the mean, where that of a single answer is one.</summary>
    private double _variance;
    private TimeSpan _at;
    private long _completed;
    private TimeSpan _served;

    /// <summary>The mean; <see langword="null"/> before a request has ended.</summary>
    public TimeSpan? Value { get; private set; }

    /// <summary>How many answers with equal weights would be as certain; 0 before the first. With many it stands at 39, with one every few seconds near
    /// 1.</summary>
    public double Answers => _variance > 0 ? 1 / _variance : 0;

    /// <summary>Takes a look.</summary>
    /// <param name="now">The present time.</param>
    /// <param name="completed">Requests that have ended since the start.</param>
    /// <param name="served">Their time from start to end; may go past the end of 64 bits, as that of 100,000 streams does within months.</param>
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
