using System.Diagnostics;

namespace AdaptivePool.Scenarios.Load;

/// <summary>Follows a counter over a run, on the calling thread.</summary>
public sealed class RateRecorder
{
    private static readonly TimeSpan s_period = TimeSpan.FromMilliseconds(20);
    private readonly List<(double Seconds, long Count)> _points = [];

    /// <summary>Records until the time is over, beginning at count and time zero.</summary>
    /// <param name="count">Reads the counter.</param>
    /// <param name="start">Stopwatch ticks at which the run began.</param>
    /// <param name="duration">Length of the run.</param>
    public static RateRecorder Record(Func<long> count, long start, TimeSpan duration) => Record([count], start, duration)[0];

    /// <summary>Records several counters at the same moments.</summary>
    /// <param name="counts">Read the counters.</param>
    /// <param name="start">Stopwatch ticks at which the run began.</param>
    /// <param name="duration">Length of the run.</param>
    /// <returns>A record for each counter.</returns>
    public static RateRecorder[] Record(IReadOnlyList<Func<long>> counts, long start, TimeSpan duration)
    {
        RateRecorder[] recorders = [.. counts.Select(static _ => new RateRecorder())];
        Array.ForEach(recorders, static r => r._points.Add((0, 0)));
        double seconds = 0;
        while (seconds < duration.TotalSeconds)
        {
            Thread.Sleep(s_period);
            seconds = Stopwatch.GetElapsedTime(start).TotalSeconds;
            for (int i = 0; i < recorders.Length; i++)
            {
                recorders[i]._points.Add((seconds, counts[i]()));
            }
        }

        return recorders;
    }

    /// <summary>Length of the record in seconds.</summary>
    public double Seconds => _points[^1].Seconds;

    /// <summary>Mean rate per second between two times, counted from the start.</summary>
    public double Rate(double from, double to) => (At(to) - At(from)) / (to - from);

    /// <summary>The first time at which a stretch of the record begins whose mean rate is at least so high; <see langword="null"/> when there is
    /// none.</summary>
    /// <param name="rate">The rate per second.</param>
    /// <param name="length">Length of the stretch in seconds.</param>
    public double? FirstAtLeast(double rate, double length)
    {
        foreach ((double seconds, _) in _points)
        {
            if (seconds + length > Seconds)
            {
                return null;
            }

            if (Rate(seconds, seconds + length) >= rate)
            {
                return seconds;
            }
        }

        return null;
    }

    /// <summary>Mean rate per second of the second half.</summary>
    public double SecondHalf => Rate(Seconds / 2, Seconds);

    private double At(double seconds)
    {
        int after = _points.FindIndex(p => p.Seconds >= seconds);
        if (after <= 0)
        {
            return after == 0 ? _points[0].Count : _points[^1].Count;
        }

        (double t0, long c0) = _points[after - 1];
        (double t1, long c1) = _points[after];
        return c0 + ((c1 - c0) * (seconds - t0) / (t1 - t0));
    }
}
