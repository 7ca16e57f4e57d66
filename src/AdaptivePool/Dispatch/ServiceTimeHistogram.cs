namespace AdaptivePool.Dispatch;

/// <summary>
/// Service times of a class, each weighted by itself: the share of the workers' time that went into items of each length. A percentile by count forgets eight
/// connects of one second after 800 transactions; a percentile by time does not (sizing study, rule 10d). Old weight is halved every minute.
/// </summary>
/// <typeparam name="TSync">The machine or its model.</typeparam>
internal sealed class ServiceTimeHistogram<TSync>
    where TSync : struct, ISync
{
    private const int BucketsPerOctave = 4;
    private const int Buckets = 96;
    private const double SmallestSeconds = 100e-6;
    private readonly long[] _microseconds = new long[Buckets];

    /// <summary>Adds an item. Items under 0.1 ms are left out: no limit that is derived from here is that short.</summary>
    public void Add(double seconds)
    {
        if (seconds < SmallestSeconds)
        {
            return;
        }

        int bucket = (int)(Math.Log2(seconds / SmallestSeconds) * BucketsPerOctave);

        // A statistic: additions must not be lost; their order does not matter.
        TSync.Add(ref _microseconds[Math.Min(bucket, Buckets - 1)], (long)(seconds * 1e6));
    }

    /// <summary>The service time under which the given share of the workers' time lies, in seconds; 0 when nothing is known.</summary>
    public double Percentile(double share)
    {
        long total = 0;
        foreach (ref long weight in _microseconds.AsSpan())
        {
            total += TSync.RelaxedRead(ref weight);
        }

        if (total == 0)
        {
            return 0;
        }

        long rest = (long)(total * (1 - share));
        for (int bucket = Buckets - 1; bucket >= 0; bucket--)
        {
            rest -= TSync.RelaxedRead(ref _microseconds[bucket]);
            if (rest < 0)
            {
                return UpperEdge(bucket);
            }
        }

        return SmallestSeconds;
    }

    /// <summary>The mean service time by count, in seconds; 0 when nothing is known.</summary>
    public double Mean()
    {
        double total = 0;
        double items = 0;
        for (int bucket = 0; bucket < Buckets; bucket++)
        {
            long weight = TSync.RelaxedRead(ref _microseconds[bucket]);
            if (weight > 0)
            {
                // Read at each look, and most buckets are empty.
                total += weight;
                items += weight / UpperEdge(bucket);
            }
        }

        return items > 0 ? total / items : 0;
    }

    /// <summary>Halves all weights.</summary>
    public void Decay()
    {
        foreach (ref long weight in _microseconds.AsSpan())
        {
            // Rounded up: otherwise what is left of each would count the same after a quiet half an hour, and most time would seem to go into the longest item
            // ever.
            TSync.Add(ref weight, -((TSync.RelaxedRead(ref weight) + 1) / 2));
        }
    }

    private static double UpperEdge(int bucket) => SmallestSeconds * Math.Pow(2, (bucket + 1.0) / BucketsPerOctave);
}
